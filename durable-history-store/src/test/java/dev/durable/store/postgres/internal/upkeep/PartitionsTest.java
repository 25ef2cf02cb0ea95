package dev.durable.store.postgres.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.DurableException;
import dev.durable.RolledBackException;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.StreamPage;
import dev.durable.store.contract.StoreContract;
import dev.durable.store.contract.StoreFixture;
import dev.durable.store.contract.Writer;
import dev.durable.store.postgres.HistoryPartitions;
import dev.durable.store.postgres.Holder;
import dev.durable.store.postgres.Meanwhile;
import dev.durable.store.postgres.PostgresFixture;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.Sql;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Guard;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/** Tests that the partitions of the history are created by the process that comes first. */
@Tag("slow")
class PartitionsTest extends StoreContract {
    private static final String MAKE =
            "select durable.add_history_partitions(durable.clock() + interval '300 days', durable.clock() + interval '300 days')";
    /** A time beyond all partitions that any test has created. */
    private static final Duration FAR = Duration.ofDays(5_000);

    @Override
    protected StoreFixture newFixture() {
        PostgresFixture fresh = new PostgresFixture();
        clean();
        return fresh;
    }

    @AfterAll
    static void clean() {
        Holder.closeAll();
        partitions().forEach(table -> Sql.execute(PostgresFixture.pool(), "drop table durable." + table));
    }

    /** Deletes runs whose histories are gone on purpose, so that the invariants do not miss them. */
    private static void forget(String... workflowIds) {
        String these = " where workflow_id in ('" + String.join("', '", workflowIds) + "')";
        Sql.execute(
                PostgresFixture.pool(),
                "set session_replication_role = replica; delete from durable.history_event where run_id in (select run_id"
                        + " from durable.workflow_run" + these + "); reset session_replication_role; delete from"
                        + " durable.run_state" + these + "; delete from durable.workflow_run" + these);
    }

    @Test
    void the_second_of_two_processes_that_start_at_once_waits_and_finds_the_partition() {
        Holder first = Holder.of(MAKE);
        Meanwhile<Long> second = Meanwhile.of(() -> Sql.number(PostgresFixture.pool(), MAKE));
        first.awaitWaiter();
        first.commit();

        assertThat(second.get()).as("made by the second").isZero();
    }

    @Test
    void the_second_makes_what_the_first_did_not() {
        Holder first = Holder.of(MAKE);
        Meanwhile<Long> second = Meanwhile.of(() -> Sql.number(PostgresFixture.pool(), MAKE));
        first.awaitWaiter();
        first.close();

        assertThat(second.get()).isEqualTo(1);
    }

    /** Each worker asks for partitions about once an hour, and at its start, when its store has just created them. */
    @Test
    void what_a_process_has_made_just_before_it_does_not_make_again() {
        AtomicLong nanos = new AtomicLong();
        SchemaName schema = new SchemaName(SchemaName.DEFAULT);
        Partitions partitions = new Partitions(
                new Connections(
                        PostgresFixture.pool(), schema, new StoreErrors("orders-db"), new Guard(schema, "orders-db")),
                nanos::get);
        advance(FAR);

        assertThat(partitions.ahead()).as("first").isPositive();
        advance(Duration.ofDays(70));
        assertThat(partitions.ahead()).as("just afterwards").isZero();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(30));
        assertThat(partitions.ahead()).as("half an hour later").isPositive();
    }

    @Test
    void nobody_makes_partitions_far_from_now() {
        assertThatThrownBy(() -> Sql.number(
                        PostgresFixture.pool(),
                        "select durable.add_history_partitions(now(), now() + interval '9 years')"))
                .hasMessageContaining("partitions are made for 100 days back and 400 days ahead at most");
    }

    @Test
    void a_start_that_meets_the_end_of_the_partitions_makes_its_own() {
        advance(FAR);

        assertThat(history(started("order-1"))).hasSize(1);
    }

    @Test
    void of_several_starts_that_meet_the_end_at_once_each_lands() {
        advance(FAR);
        List<Meanwhile<StartOutcome>> starts = List.of("a", "b", "c", "d").stream()
                .map(id -> {
                    NewRun run = newRun(id).build();
                    return Meanwhile.of(() -> store.start(List.of(run)).getFirst());
                })
                .toList();

        starts.forEach(start -> assertThat(start.get()).isEqualTo(new StartOutcome.Started(false)));
        assertThat(Sql.number(PostgresFixture.pool(), "select count(*) from durable.history_event"))
                .isEqualTo(4);
    }

    @Test
    void a_start_in_a_callers_transaction_is_lost_with_it_and_lands_when_it_is_done_again() {
        advance(FAR);
        NewRun run = newRun("order-1").build();
        Holder caller = Holder.open();

        assertThatThrownBy(() -> caller.start(run))
                .isInstanceOf(RolledBackException.class)
                .hasMessageContaining(
                        "had no partition for a run of this time, and has one now. The transaction that this"
                                + " call takes part in is lost as a whole: roll it back, and do it again from its beginning.");
        caller.close();
        Holder again = Holder.open();
        assertThat(again.start(run)).isEqualTo(new StartOutcome.Started(false));
        again.commit();
        assertThat(history(run.run())).hasSize(1);
    }

    @Test
    void a_month_whose_partition_was_detached_gets_another() {
        advance(FAR);
        RunKey lost = started("order-1");
        detach("concurrently");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(Partitions.class);
        log.start();
        logger.addAppender(log);

        assertThat(history(started("order-2"))).hasSize(1);
        assertThat(partitions()).anyMatch(name -> name.equals(table(month()) + "_2"));
        logger.detachAppender(log);
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anySatisfy(
                        line -> assertThat(line)
                                .startsWith(table(month()) + " in schema \"durable\": detached and not dropped")
                                .contains(
                                        "copies back, insert into \"durable\".history_event select * from \"durable\".<table>"));
        assertThat(history(lost)).isEmpty();
        Sql.execute(
                PostgresFixture.pool(), "insert into durable.history_event select * from durable." + table(month()));
        assertThat(history(lost)).hasSize(1);
        forget("order-1");
    }

    /** A reader keeps a DETACH CONCURRENTLY from its end: the partition takes no rows any more, and none can stand in its place. */
    @Test
    void a_month_whose_partition_is_stuck_in_being_detached_gets_another_too() {
        advance(FAR);
        started("order-1");
        Holder reader = Holder.of("select count(*) from durable.history_event");
        Meanwhile<Boolean> detaching = Meanwhile.of(() -> {
            detach("concurrently");
            return true;
        });
        reader.awaitWaiter();
        Sql.number(
                PostgresFixture.pool(),
                "select count(pg_terminate_backend(pid)) from pg_stat_activity where query like '%detach partition%'"
                        + " and pid <> pg_backend_pid()");
        assertThatThrownBy(detaching::get).isInstanceOf(IllegalStateException.class);
        reader.commit();

        assertThat(history(started("order-2"))).hasSize(1);
        forget("order-1");
    }

    @Test
    void a_user_who_may_not_make_partitions_hears_who_may() throws SQLException {
        advance(FAR);
        NewRun run = newRun("order-1").build();
        String role = "writer_" + PostgresFixture.database().name();
        Sql.execute(
                PostgresFixture.pool(),
                "create role " + role + "; grant usage on schema durable to " + role
                        + "; grant select, insert, update, delete on all tables in schema durable to " + role);
        try {
            PGSimpleDataSource writer =
                    (PGSimpleDataSource) PostgresFixture.database().dataSource();
            writer.setOptions("-c role=" + role);
            try (PostgresHistoryStore store = PostgresHistoryStore.builder(writer)
                    .description("orders-db")
                    .build()) {
                assertThatThrownBy(() -> store.start(List.of(run)))
                        .isInstanceOf(DurableException.class)
                        .hasMessage(
                                "the partitions of the history in the database at orders-db can't be made: ERROR:"
                                        + " permission denied for function add_history_partitions. Usual cause: this database user"
                                        + " lacks the role durable_worker. Grant it, or let the owner of the schema run: select"
                                        + " \"durable\".add_history_partitions(now() - interval '1 day', now() + interval '70 days')");
            }
        } finally {
            Sql.execute(PostgresFixture.pool(), "drop owned by " + role + "; drop role " + role);
        }
    }

    @Test
    void a_run_whose_history_is_gone_is_terminated_without_an_event_and_the_audit_says_so() {
        advance(FAR);
        Writer writer = scheduled("order-1", 1);
        deliver("order-1", signal("approve"));
        advance(Duration.ofDays(40));
        partitions().forEach(name -> Sql.execute(PostgresFixture.pool(), "drop table durable." + name));

        assertThatThrownBy(() -> writer.write(writer.step().event("SignalReceived", "[]")))
                .isInstanceOf(DurableException.class)
                .hasMessageContaining("has no partition for a run, nothing was written (SQLSTATE 23514)")
                .hasMessageContaining("Attach it again, or terminate the run, which closes it without an event.");
        terminated(writer.run());

        assertThat(history(writer.run())).isEmpty();
        assertThat(Sql.column(
                        PostgresFixture.pool(),
                        "select concat_ws(' ', status, closed_at is not null, failure) from durable.workflow_run"))
                .containsExactly("TERMINATED t {\"type\":\"Ended\"}");
        assertThat(Sql.number(PostgresFixture.pool(), "select count(*) from durable.activity_job"))
                .isZero();
        assertThat(Sql.column(
                        PostgresFixture.pool(),
                        "select concat_ws(' ', actor, action, target, details) from durable.audit"))
                .containsExactly("durable close run without history order-1 {\"runId\":\""
                        + writer.run().runId() + "\",\"status\":\"TERMINATED\"}");
        RunKey next = started("order-1");
        assertThat(history(next)).as("its id can be used again").hasSize(1);
        forget("order-1");
    }

    @Test
    void dropping_a_month_detaches_it_first_and_says_so_in_the_audit() {
        advance(FAR);
        Writer writer = claimed("order-1");
        YearMonth month = month();

        assertThatThrownBy(() -> drop(month))
                .as("a run is open as well, whose end would not help")
                .hasMessageEndingWith("runs may still be started in it. A month can be dropped one day after its end.");
        advance(Duration.ofDays(40));
        assertThatThrownBy(() -> drop(month))
                .isInstanceOf(DurableException.class)
                .hasMessageStartingWith("the history of " + month + " can't be dropped in the database at ")
                .hasMessageEndingWith(
                        ": some of its runs are open, and could not go on without it: order-1. Let them end, or"
                                + " cancel or terminate them.");
        writer.write(writer.step().appends("tokens", "1"));
        terminated(writer.run());

        assertThat(drop(month)).containsExactly(table(month), streams(month));
        assertThat(history(writer.run())).isEmpty();
        StreamPage page = store.streams(List.of(new StreamPage.Question(writer.run(), "tokens", 0, 10)), 1_000)
                .getFirst();
        assertThat(page.entries()).isEmpty();
        assertThat(page.size()).isEqualTo(1);
        assertThat(Sql.column(PostgresFixture.pool(), "select concat_ws(' ', action, target) from durable.audit"))
                .containsExactlyInAnyOrder("drop history " + table(month), "drop history " + streams(month));
        assertThat(drop(month)).as("once more").isEmpty();
        forget("order-1");
    }

    @Test
    void an_entry_of_a_stream_that_has_no_partition_while_the_history_has_one_makes_its_own() {
        advance(FAR);
        Writer writer = claimed("order-1");
        Sql.execute(PostgresFixture.pool(), "drop table durable." + streams(month()));

        assertThat(writer.write(writer.step().appends("tokens", "1")).isApplied())
                .isTrue();
        Sql.execute(PostgresFixture.pool(), "drop table durable." + streams(month()));
        advance(Duration.ofDays(40));
        assertThatThrownBy(() -> writer.write(writer.step().appends("tokens", "2")))
                .isInstanceOf(DurableException.class)
                .hasMessageContaining("has no partition for a run, nothing was written (SQLSTATE 23514)");
        terminated(writer.run());
        forget("order-1");
    }

    @Test
    void beside_a_default_partition_of_streams_a_month_is_refused_before_anything_of_it_is_detached() {
        advance(FAR);
        Writer writer = claimed("order-1");
        writer.write(writer.closing());
        YearMonth month = month();
        Sql.execute(
                PostgresFixture.pool(), "create table durable.stream_rest partition of durable.stream_entry default");
        try {
            assertThat(whatIsSaid(PartitionsTest::open))
                    .singleElement()
                    .asString()
                    .startsWith("stream_rest (DEFAULT) in schema \"durable\": partitions that Durable has not made");
            advance(Duration.ofDays(70));
            assertThatThrownBy(() -> drop(month))
                    .isInstanceOf(DurableException.class)
                    .hasMessageContaining(": stream_rest (DEFAULT) may have histories or entries of streams of it");
            assertThat(history(writer.run())).isNotEmpty();
        } finally {
            forget("order-1");
            Sql.execute(PostgresFixture.pool(), "drop table durable.stream_rest");
        }
    }

    /** A process died after it had detached the partition, or in the middle of that. */
    @Test
    void dropping_goes_on_where_it_was_broken_off() throws SQLException {
        advance(FAR);
        Writer writer = claimed("order-1");
        writer.write(writer.closing());
        YearMonth month = month();
        Holder reader = Holder.of("select count(*) from durable.history_event");
        advance(Duration.ofDays(40));
        HistoryPartitions impatient = new HistoryPartitions(
                PostgresFixture.database().dataSource(), new SchemaName("durable"), Duration.ofMillis(200));

        assertThatThrownBy(() -> impatient.drop(month))
                .hasMessageContaining(
                        "the history of " + month + " can't be dropped: not within PT0.2S, as a table is locked");
        assertThat(Sql.number(PostgresFixture.pool(), "select count(*) from pg_inherits where inhdetachpending"))
                .isEqualTo(1);
        reader.close();

        assertThat(drop(month)).containsExactly(table(month), streams(month));
        forget("order-1");
    }

    /** PostgreSQL detaches one partition of a table concurrently, and no second one before that is finished. */
    @Test
    void a_month_is_dropped_also_where_the_detaching_of_another_was_broken_off() throws SQLException {
        advance(FAR);
        Writer first = claimed("order-1");
        first.write(first.closing());
        YearMonth broken = month();
        advance(Duration.ofDays(31));
        Writer second = claimed("order-2");
        second.write(second.closing());
        YearMonth month = month();
        Holder reader = Holder.of("select count(*) from durable.history_event");
        advance(Duration.ofDays(40));
        HistoryPartitions impatient = new HistoryPartitions(
                PostgresFixture.database().dataSource(), new SchemaName("durable"), Duration.ofMillis(200));
        assertThatThrownBy(() -> impatient.drop(broken)).hasMessageContaining("as a table is locked");
        reader.close();

        assertThat(drop(month)).containsExactly(table(month), streams(month));
        assertThat(drop(broken)).containsExactly(table(broken), streams(broken));
        forget("order-1", "order-2");
    }

    @Test
    void what_a_dba_has_made_with_bounds_of_his_own_stays_and_what_it_leaves_of_a_month_gets_partitions() {
        advance(FAR);
        YearMonth month = month();
        byDba("history_odd", "for values from ('%s') to ('%s')", month, month.plusMonths(1));
        try {
            Writer writer = claimed("order-1");
            List<String> said = whatIsSaid(PartitionsTest::open);

            assertThat(history(writer.run())).hasSize(1);
            for (YearMonth each : List.of(month, month.plusMonths(1))) {
                assertThat(Sql.column(
                                PostgresFixture.pool(),
                                "select durable.has_history_partition(durable.run_id_at('" + each
                                        + "-01Z'), durable.run_id_at('" + each.plusMonths(1) + "-01Z'))"))
                        .as("a run of any time in %s has a place", each)
                        .containsExactly("t");
            }
            assertThat(said)
                    .singleElement()
                    .asString()
                    .startsWith("history_odd in schema \"durable\": partitions that Durable has not made,"
                            + " with bounds of their own.");
            terminated(writer.run());
            advance(Duration.ofDays(70));
            assertThatThrownBy(() -> drop(month))
                    .isInstanceOf(DurableException.class)
                    .hasMessageStartingWith("the history of " + month + " can't be dropped in the database at ")
                    .hasMessageContaining(
                            ": history_odd may have histories or entries of streams of it and was not made by Durable");
        } finally {
            forget("order-1");
            Sql.execute(PostgresFixture.pool(), "drop table durable.history_odd");
        }
    }

    @Test
    void beside_a_default_partition_none_is_made_once_it_has_rows_and_it_is_told_by_name() {
        advance(FAR);
        YearMonth month = month();
        byDba("history_rest", "default", month, month);
        try {
            assertThat(Sql.number(PostgresFixture.pool(), addAt(month.plusMonths(1))))
                    .as("while it has none")
                    .isEqualTo(1);
            RunKey run = started("order-1");
            List<String> said = whatIsSaid(PartitionsTest::open);

            assertThat(history(run)).hasSize(1);
            assertThat(Sql.number(PostgresFixture.pool(), addAt(month.plusMonths(2))))
                    .isZero();
            assertThat(said)
                    .singleElement()
                    .asString()
                    .startsWith("history_rest (DEFAULT) in schema \"durable\": partitions that Durable has")
                    .endsWith("move its rows to partitions of their months, then drop it.");
            terminated(run);
            advance(Duration.ofDays(70));
            assertThatThrownBy(() -> drop(month))
                    .isInstanceOf(DurableException.class)
                    .hasMessageContaining(": history_rest (DEFAULT) may have histories or entries of streams of it");
        } finally {
            forget("order-1");
            Sql.execute(PostgresFixture.pool(), "drop table durable.history_rest");
        }
    }

    private static void byDba(String name, String bounds, YearMonth from, YearMonth to) {
        String lowest = Sql.column(PostgresFixture.pool(), "select durable.run_id_at('" + from + "-05Z')")
                .getFirst();
        String beyond = Sql.column(PostgresFixture.pool(), "select durable.run_id_at('" + to + "-05Z')")
                .getFirst();
        Sql.execute(
                PostgresFixture.pool(),
                "create table durable." + name + " (like durable.history_event including defaults); alter table"
                        + " durable.history_event attach partition durable." + name + " "
                        + bounds.formatted(lowest, beyond));
    }

    private static String addAt(YearMonth month) {
        return "select durable.add_history_partitions('" + month + "-02Z', '" + month + "-02Z')";
    }

    private static void open() {
        try (PostgresHistoryStore another =
                PostgresHistoryStore.of(PostgresFixture.database().dataSource())) {
            another.open();
        }
    }

    private static List<String> whatIsSaid(Runnable work) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(Partitions.class);
        log.start();
        logger.addAppender(log);
        try {
            work.run();
        } finally {
            logger.detachAppender(log);
        }
        return log.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static List<String> drop(YearMonth month) {
        return HistoryPartitions.of(PostgresFixture.database().dataSource()).drop(month);
    }

    private YearMonth month() {
        return YearMonth.from(store.now().atZone(ZoneOffset.UTC));
    }

    private static String table(YearMonth month) {
        return "history_event_" + month.toString().replace('-', '_');
    }

    private static String streams(YearMonth month) {
        return "stream_entry_" + month.toString().replace('-', '_');
    }

    private static List<String> partitions() {
        return Sql.column(
                PostgresFixture.pool(),
                "select relname from pg_class where relkind = 'r' and relname ~ '^(history_event|stream_entry)_2'"
                        + " and substring(relname from '[0-9]{4}_[0-9]{2}') >= to_char(now() + interval '200 days',"
                        + " 'YYYY_MM') order by 1");
    }

    private void detach(String how) {
        try (Connection connection = PostgresFixture.database().dataSource().getConnection()) {
            connection
                    .createStatement()
                    .execute(
                            "alter table durable.history_event detach partition durable." + table(month()) + " " + how);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
