package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.DurableException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityCompleted;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/**
 * Whatever goes wrong, and at every level, the log contains no part of a payload, of a secret in an exception or in a
 * URL, of a fence or of a lease. The log of the driver is its own (java.util.logging), and is not captured here.
 */
@Timeout(300)
@Tag("slow")
class MarkedLogTest {
    private static final String MARKER = "m4rk3r-5500-0000";

    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Logger own = (Logger) LoggerFactory.getLogger("dev.durable");
    private final List<Appender<ILoggingEvent>> others = new ArrayList<>();
    private final AppenderBase<ILoggingEvent> capture = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            lines.add(line.getLoggerName() + " " + line.getFormattedMessage() + " " + line.getMDCPropertyMap()
                    + (line.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(line.getThrowableProxy())));
        }
    };

    private Level levelOfRoot;
    private Level levelOfOwn;

    @BeforeEach
    void listen() {
        levelOfRoot = root.getLevel();
        levelOfOwn = own.getLevel();
        for (Iterator<Appender<ILoggingEvent>> each = root.iteratorForAppenders(); each.hasNext(); ) {
            others.add(each.next());
        }
        others.forEach(root::detachAppender);
        capture.start();
        root.addAppender(capture);
        root.setLevel(Level.TRACE);
        own.setLevel(Level.TRACE);
    }

    @AfterEach
    void listenNoMore() {
        root.setLevel(levelOfRoot);
        own.setLevel(levelOfOwn);
        root.detachAppender(capture);
        others.forEach(root::addAppender);
    }

    /** The activity of the workflows of this test. */
    @Activity(startToClose = "10s", headers = "trace=" + MARKER)
    interface Till {
        String charge(String card);

        @Activity(startToClose = "1s", retry = @Retry(maxAttempts = 1))
        String sleep(String card);

        @Activity(retry = @Retry(maxAttempts = 1))
        String decline(String card);
    }

    static final class OpenTill implements Till {
        @Override
        public String charge(String card) {
            ActivityContext context = ActivityContext.current();
            context.heartbeat("at " + card);
            if (context.info().attempt() == 1) {
                throw new IllegalStateException("password=" + card, new RuntimeException("secret: " + card));
            }
            return "charged " + card;
        }

        @Override
        public String sleep(String card) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(3));
            return card;
        }

        @Override
        public String decline(String card) {
            // A single word, which is masked as a whole.
            throw new IllegalArgumentException("token=" + card.replace(' ', '-'));
        }
    }

    @Workflow(name = "Sale")
    static class Sale {
        private final Till till;
        private String more = "";

        Sale(Till till) {
            this.till = till;
        }

        @Run
        String run(String card) {
            Durable.compensate(() -> {
                throw new IllegalStateException("password=" + card);
            });
            String charged = till.charge(card);
            Durable.async(() -> {
                throw new IllegalStateException("api_key=" + card);
            });
            Durable.await(() -> !more.isEmpty());
            return refuse(charged + more);
        }

        private String refuse(String what) {
            if (more.contains("sleep")) {
                till.sleep(what);
            }
            if (more.contains("decline")) {
                till.decline(what);
            }
            return what;
        }

        @Signal
        void more(String what) {
            more = what;
        }
    }

    /** The next release, which calls another activity first. */
    @Workflow(name = "Sale")
    static class OtherSale {
        private final Till till;

        OtherSale(Till till) {
            this.till = till;
        }

        @Run
        String run(String card) {
            return till.decline("other " + card);
        }

        @Signal
        void more(String what) {}
    }

    /** A release whose argument is of another type. */
    @Workflow(name = "Sale")
    static class NumberedSale {
        @Run
        String run(int card) {
            return "card " + card;
        }

        @Signal
        void more(String what) {}
    }

    /** The till of a release that takes numbers. */
    @Activity(name = "Till", startToClose = "10s")
    interface NumberedTill {
        String charge(int card);
    }

    @Test
    void no_line_shows_a_payload_a_secret_a_fence_or_a_lease() throws Exception {
        try (Bench bench = new Bench()) {
            try (DurableEngine engine =
                    bench.engine().register(Sale.class, new OpenTill()).start()) {
                locks(bench, engine);
                timesOutAndFails(engine);
                isRefused(bench, engine);
                isCutOff(bench, engine);
                start(engine, "other-code");
                start(engine, "other-type");
                awaitEvents(engine, "other-code");
                awaitEvents(engine, "other-type");
            }
            try (DurableEngine engine =
                    bench.engine().register(OtherSale.class, new OpenTill()).start()) {
                var run = engine.client().handle(OtherSale.class, "other-code");
                run.signal(sale -> sale.more(MARKER));
                Bench.awaitThat(run, now -> now.stalledBy() != null);
            }
            try (DurableEngine engine =
                    bench.engine().register(NumberedSale.class).start()) {
                var run = engine.client().handle(NumberedSale.class, "other-type");
                run.signal(sale -> sale.more(MARKER));
                Bench.awaitThat(run, now -> String.valueOf(now.stalledBy()).contains("can't be read"));
                enqueueUnread(bench, engine);
            }
            cannotReach();
            assertThat(lines)
                    .as("the trial says what it is to say")
                    .anyMatch(line -> line.contains("the database does not answer"))
                    .anyMatch(line -> line.contains("the database answers again"))
                    .anyMatch(line -> line.startsWith("told ") && line.contains("/orders can't be reached"))
                    .anyMatch(line -> line.contains("a row that SIGNAL for locked needs is locked"))
                    .anyMatch(line -> line.contains("a row that start of "))
                    .anyMatch(line -> line.contains("a compensation failed"))
                    .anyMatch(line -> line.startsWith("dev.durable.failed.Attempt attempt 1 of Till.charge"))
                    .anyMatch(line -> line.startsWith("dev.durable.failed.Activity attempt 1 of Till.decline"))
                    .anyMatch(line -> line.startsWith("dev.durable.failed.Run Sale decline"))
                    .anyMatch(line -> line.contains("the workflow never asked for it"))
                    .anyMatch(line -> line.contains("a transition of refused can't be written"))
                    .anyMatch(line -> line.contains("other-code stalls"))
                    .anyMatch(line -> line.contains("other-type stalls"))
                    .anyMatch(line -> line.contains("Till.charge of") && line.contains("is left to other workers"));
            assertThat(lines).noneMatch(line -> line.contains(MARKER));
            assertThat(fencesAndLeases(bench))
                    .hasSizeGreaterThan(10)
                    .allSatisfy(id -> assertThat(lines).noneMatch(line -> line.contains(id)));
        }
    }

    private static WorkflowHandle<Sale, String> start(DurableEngine engine, String id) {
        return engine.client().start(Sale.class, StartOptions.id(id).memo("card", MARKER), sale -> sale.run(MARKER));
    }

    private static void awaitEvents(DurableEngine engine, String id) {
        Bench.awaitThat(() -> engine.client()
                .history(id)
                .events(ActivityCompleted.class)
                .findAny()
                .isPresent());
    }

    /** Locks rows by another transaction: of a run that gets a signal, and of an id that is being started. */
    private void locks(Bench bench, DurableEngine engine) throws Exception {
        var locked = start(engine, "locked");
        awaitEvents(engine, "locked");
        try (Connection holder = bench.direct().getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("select 1 from durable.workflow_run for update");
            statement.execute("select 1 from durable.run_state for update");
            CompletableFuture<Void> told = CompletableFuture.runAsync(() -> locked.signal(sale -> sale.more(MARKER)));
            Bench.awaitThat(() -> lines.stream().anyMatch(line -> line.contains("a row that SIGNAL")));
            holder.rollback();
            told.get(30, TimeUnit.SECONDS);
        }
        assertThat(locked.result()).contains(MARKER);
        try (Connection caller = bench.direct().getConnection()) {
            caller.setAutoCommit(false);
            engine.client()
                    .joining(caller)
                    .start(Sale.class, StartOptions.id("begun").memo("card", MARKER), sale -> sale.run(MARKER));
            CompletableFuture<?> again = CompletableFuture.runAsync(() -> start(engine, "begun"));
            Bench.awaitThat(() -> lines.stream().anyMatch(line -> line.contains("a row that start of")));
            caller.rollback();
            again.get(30, TimeUnit.SECONDS);
        }
    }

    private static void timesOutAndFails(DurableEngine engine) {
        for (String how : List.of("sleep", "decline")) {
            var run = start(engine, how);
            run.signal(sale -> sale.more(how + MARKER));
            assertThat(catchThrowable(run::result)).isInstanceOf(DurableException.class);
        }
    }

    /** Has a row refused by a constraint of the application: the server shows the whole row. */
    private static void isRefused(Bench bench, DurableEngine engine) throws Exception {
        var refused = start(engine, "refused");
        awaitEvents(engine, "refused");
        try (Connection connection = bench.direct().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "alter table durable.history_event add constraint no_poison check (attributes::text not like '%poison%') not valid");
            statement.execute(
                    "alter table durable.inbox add constraint no_venom check (payload::text not like '%venom%') not valid");
        }
        assertThat(whole(catchThrowable(() -> refused.signal(sale -> sale.more("venom " + MARKER)))))
                .contains("no_venom")
                .doesNotContain(MARKER);
        refused.signal(sale -> sale.more("poison " + MARKER));
        Bench.awaitThat(refused, run -> String.valueOf(run.stalledBy()).contains("no_poison"));
        assertThat(refused.describe().stalledBy()).doesNotContain(MARKER);
    }

    /** Enqueues a job that was written for another signature. */
    private void enqueueUnread(Bench bench, DurableEngine engine) throws Exception {
        engine.client().enqueue(Till.class, till -> till.charge(MARKER));
        try (DurableEngine other = bench.engine()
                .activity(NumberedTill.class, card -> "card " + card)
                .start()) {
            Bench.awaitThat(() -> lines.stream().anyMatch(line -> line.contains("is left to other workers")));
        }
    }

    /**
     * Refuses new connections and cuts existing ones. Health and metrics are made of what the engine reports meanwhile.
     */
    private void isCutOff(Bench bench, DurableEngine engine) throws Exception {
        var waits = start(engine, "cut-off");
        awaitEvents(engine, "cut-off");
        try (Connection server = bench.server().getConnection();
                Statement statement = server.createStatement()) {
            statement.execute("alter database " + bench.name() + " allow_connections false");
            statement.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + bench.name() + "'");
            CompletableFuture<Void> told = CompletableFuture.runAsync(() -> waits.signal(sale -> sale.more(MARKER)));
            Bench.awaitThat(() -> lines.stream().anyMatch(line -> line.contains("the database does not answer")));
            lines.add("told " + engine.problems() + engine.upkeep() + engine.worker());
            statement.execute("alter database " + bench.name() + " allow_connections true");
            told.get(60, TimeUnit.SECONDS);
        }
        assertThat(waits.result()).contains(MARKER);
        Bench.awaitThat(() -> lines.stream().anyMatch(line -> line.contains("the database answers again")));
        lines.add("told " + engine.problems() + engine.upkeep() + engine.worker());
    }

    /** Connects to a URL with a password where no server listens. */
    private void cannotReach() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:1/orders?user=ann&password=" + MARKER + "&sslpassword=" + MARKER);
        lines.add("told "
                + whole(catchThrowable(() ->
                        Bench.engineOn(source).register(NumberedSale.class).start())));
    }

    /**
     * The fences of runs, and the leases of attempts that ended, which are the ids under which their outcomes stand in
     * the history.
     */
    private static List<String> fencesAndLeases(Bench bench) throws Exception {
        List<String> ids = new ArrayList<>();
        try (Connection connection = bench.direct().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("""
                        select fence::text from durable.run_state where fence <> run_id
                        union select message_id::text from durable.history_event
                         where type like 'Activity%' and message_id is not null
                        union select lease::text from durable.activity_job where lease is not null""")) {
            while (rows.next()) {
                ids.add(rows.getString(1));
            }
        }
        return ids;
    }

    private static String whole(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
