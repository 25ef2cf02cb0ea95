package dev.durable.store.postgres.internal.nudge;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.store.Nudges.HearingBegins;
import dev.durable.store.Nudges.Nudge;
import dev.durable.store.Nudges.RulesChanged;
import dev.durable.store.Nudges.RunsDue;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.LoggerFactory;

/** Tests the nudges between stores of several processes on one database. */
@Tag("slow")
class SharedNudgesTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final TestDatabase database = TestDatabase.migrated();
    private final DataSource speaker = database.pooledDataSource(1);
    private final List<Participant> processes = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (Participant process : processes) {
            process.close();
        }
        database.close();
    }

    @Test
    void a_nudge_is_heard_in_the_other_process_once_and_not_sent_back() throws Exception {
        Participant one = process("durable");
        Participant other = process("durable");
        awaitAcquainted(one, other);

        one.store.nudges().send(List.of(new RunsDue("first")));
        one.store.nudges().send(List.of(new RunsDue("last")));

        assertThat(other.hears("last")).contains("first");
        other.store.nudges().send(List.of(new RunsDue("answer")));
        assertThat(one.hears("answer"))
                .as("its own, told here at once, and nothing that came back from the server")
                .containsOnlyOnce("first", "last");
    }

    @Test
    void stores_on_other_schemas_hear_nothing() throws Exception {
        Participant one = process("durable");
        Participant other = process("durable");
        Participant tenant = process("tenant");
        awaitAcquainted(one, other);
        tenant.awaitHearing();

        one.store.nudges().send(List.of(new RunsDue("secret")));
        other.hears("secret");

        Sql.execute(database.dataSource(), "select pg_notify('" + tenant.channel + "', E'x\\nr mark')");
        assertThat(tenant.hears("mark")).isEmpty();
    }

    @Test
    void a_listener_whose_connection_was_cut_listens_again_and_says_so_as_hints_may_be_lost() throws Exception {
        Participant one = process("durable");
        assertThat(Sql.await(SOON, () -> one.heard.contains(new HearingBegins())))
                .isTrue();
        one.awaitHearing();
        assertThat(Sql.cutListeners(database.dataSource())).isPositive();

        assertThat(Sql.await(SOON, () -> one.heard.contains(new HearingBegins())))
                .isTrue();
        one.awaitHearing();
    }

    @Test
    void without_notify_nobody_listens_and_nothing_is_sent() throws Exception {
        Participant one = process("durable");
        one.awaitHearing();
        DataSource pool = database.pooledDataSource(3);
        PostgresHistoryStore silent =
                PostgresHistoryStore.builder(pool).notify(false).build();
        List<Nudge> here = new ArrayList<>();
        try (AutoCloseable listening = silent.nudges().listen(here::add)) {
            silent.nudges().send(List.of(new RunsDue("a")));
            assertThat(active(pool)).isZero();
        }
        assertThat(here).as("within the process they are told").containsExactly(new RunsDue("a"));
        Sql.execute(database.dataSource(), "select pg_notify('" + one.channel + "', E'x\\nr mark')");
        assertThat(one.hears("mark")).doesNotContain("a");
    }

    @Test
    void who_stops_listening_gives_its_connection_back_as_it_was() throws Exception {
        Participant one = process("durable");
        one.awaitHearing();
        one.listening.close();

        for (int i = 0; i < one.connections; i++) {
            assertThat(Sql.column(one.dataSource, "select * from pg_listening_channels()"))
                    .isEmpty();
        }
        assertThat(active(one.dataSource)).isZero();
    }

    @Test
    void who_hears_others_all_the_time_says_that_it_is_there_all_the_same() throws Exception {
        NudgeListener listener = new NudgeListener(
                database.pooledDataSource(2),
                new NudgeListener.Station(
                        unused -> "many", "me", new ListenerPresence(System::nanoTime), Duration.ofMillis(50)),
                heard -> {});
        listener.start();
        AtomicInteger said = new AtomicInteger();
        try (Connection connection = database.dataSource().getConnection();
                Statement other = connection.createStatement()) {
            other.execute("listen many");
            assertThat(Sql.await(SOON, () -> said.addAndGet(talk(other)) >= 5)).isTrue();
        } finally {
            listener.stop(() -> {});
        }
    }

    @Test
    void what_can_not_be_read_deafens_nobody() throws Exception {
        Participant one = process("durable");
        one.awaitHearing();
        List<ILoggingEvent> logged = logged(() -> {
            one.heard.clear();
            say(one, "stranger\nr good-1");
            for (int i = 0; i < 100; i++) {
                say(
                        one,
                        List.of("x\nc xyz", "x\nr %zz", "", "\u001b[31m", "x\nj " + "%".repeat(5_000))
                                .get(i % 5));
            }
            say(one, "stranger\nr good-2");

            assertThat(one.hears("good-2")).containsExactly("good-1");
        });
        assertThat(one.heard).as("it has not connected anew").doesNotContain(new HearingBegins());
        assertThat(logged).isEmpty();
    }

    @Test
    void however_often_it_is_told_that_rules_were_changed_they_are_read_five_times_a_second_at_most() throws Exception {
        Participant one = process("durable");
        one.awaitHearing();
        one.heard.clear();
        long start = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            say(one, "stranger\nq " + i);
        }
        assertThat(Sql.await(SOON, () -> one.heard.contains(new RulesChanged())))
                .isTrue();
        one.settle();
        say(one, "stranger\nq last");
        AtomicInteger told = new AtomicInteger();
        assertThat(Sql.await(SOON, () -> told.addAndGet(one.heard.remove(new RulesChanged()) ? 1 : 0) > 0))
                .as("the last word is heard, too")
                .isTrue();
        long fifths = (System.nanoTime() - start) / TimeUnit.MILLISECONDS.toNanos(200) + 2;
        assertThat(one.rules.get()).isBetween(2, (int) fifths);
    }

    @Test
    void processes_follow_a_channel_that_gets_another_name() throws Exception {
        AtomicReference<String> name = new AtomicReference<>("before");
        BlockingQueue<Nudge> heard = new LinkedBlockingQueue<>();
        NudgeListener listener = new NudgeListener(
                database.pooledDataSource(2),
                new NudgeListener.Station(
                        unused -> name.get(), "me", new ListenerPresence(System::nanoTime), Duration.ofMillis(50)),
                heard::addAll);
        listener.start();
        try {
            assertThat(Sql.await(SOON, () -> says("before", "r there", heard))).isTrue();
            name.set("after");
            assertThat(Sql.await(SOON, () -> says("after", "r elsewhere", heard)))
                    .isTrue();
            heard.clear();
            says("before", "r old", heard);
            assertThat(Sql.await(SOON, () -> says("after", "r mark", heard))).isTrue();
            assertThat(heard).doesNotContain(new RunsDue("old"));
        } finally {
            listener.stop(() -> {});
        }
    }

    private boolean says(String channel, String line, BlockingQueue<Nudge> heard) {
        Sql.execute(database.dataSource(), "select pg_notify('" + channel + "', E'stranger\\n" + line + "')");
        return heard.contains(new RunsDue(line.substring(2)));
    }

    private void say(Participant to, String payload) {
        Sql.execute(speaker, "select pg_notify('" + to.channel + "', '" + payload + "')");
    }

    private static List<ILoggingEvent> logged(ThrowingCallable work) throws Exception {
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.durable");
        appender.start();
        logger.addAppender(appender);
        try {
            work.call();
        } catch (Throwable e) {
            throw new AssertionError(e);
        } finally {
            logger.detachAppender(appender);
        }
        return appender.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .toList();
    }

    /** Sends a message, and returns how often the listener announced itself. */
    private static int talk(Statement other) {
        try {
            other.execute("select pg_notify('many', 'another')");
            PGNotification[] heard =
                    other.getConnection().unwrap(PGConnection.class).getNotifications(1);
            return (int) Stream.of(heard == null ? new PGNotification[0] : heard)
                    .filter(notification -> notification.getParameter().equals("me"))
                    .count();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private String channel(String schema) {
        return Sql.column(database.dataSource(), "select channel from " + schema + ".installation")
                .getFirst();
    }

    private static int active(DataSource pool) throws SQLException {
        return pool.unwrap(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections();
    }

    private Participant process(String schema) throws Exception {
        Participant process = new Participant(schema);
        processes.add(process);
        return process;
    }

    private static void awaitAcquainted(Participant one, Participant other) {
        one.awaitHearing();
        other.awaitHearing();
        assertThat(Sql.await(SOON, () -> {
                    one.store.nudges().send(List.of(new RunsDue("hello")));
                    other.store.nudges().send(List.of(new RunsDue("hello")));
                    return one.heard.contains(new RunsDue("hello")) && other.heard.contains(new RunsDue("hello"));
                }))
                .isTrue();
        one.settle();
        other.settle();
    }

    /** A process: a store with a pool of its own, and a listener. */
    private final class Participant {
        private final int connections = 3;
        private final DataSource dataSource = database.pooledDataSource(connections);
        private final PostgresHistoryStore store;
        private final String channel;
        private final LinkedBlockingQueue<Nudge> heard = new LinkedBlockingQueue<>();
        private final AtomicInteger rules = new AtomicInteger();
        private final AutoCloseable listening;

        Participant(String schema) {
            store = PostgresHistoryStore.builder(dataSource).schema(schema).build();
            store.open();
            channel = channel(schema);
            listening = store.nudges().listen(nudge -> {
                rules.addAndGet(nudge instanceof RulesChanged ? 1 : 0);
                heard.add(nudge);
            });
        }

        /** Waits until it hears the message of another process. */
        void awaitHearing() {
            assertThat(Sql.await(SOON, () -> {
                        Sql.execute(
                                database.dataSource(), "select pg_notify('" + channel + "', E'stranger\\nr there')");
                        return heard.contains(new RunsDue("there"));
                    }))
                    .isTrue();
            settle();
        }

        /** Forgets the messages so far: all that are on their way come before a mark. */
        void settle() {
            String mark = java.util.UUID.randomUUID().toString();
            Sql.execute(database.dataSource(), "select pg_notify('" + channel + "', E'stranger\\nr " + mark + "')");
            hears(mark);
        }

        /** The queues that it heard of before this one. */
        List<String> hears(String last) {
            List<String> before = new ArrayList<>();
            try {
                for (Nudge nudge = heard.poll(60, TimeUnit.SECONDS); ; nudge = heard.poll(60, TimeUnit.SECONDS)) {
                    assertThat(nudge)
                            .as("waiting for " + last + " after " + before)
                            .isNotNull();
                    if (nudge.equals(new RunsDue(last))) {
                        return before;
                    }
                    if (nudge instanceof RunsDue due) {
                        before.add(due.taskQueue());
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void close() throws Exception {
            listening.close();
            store.close();
        }
    }
}
