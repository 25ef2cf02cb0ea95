package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.StoreUnavailableException;
import dev.durable.Workflow;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SqlInvariants;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/** Tests a primary that stops, and a server in recovery that answers for some seconds until it is promoted. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class FailoverTest {
    /** The time for which the only server that answers is in recovery. */
    private static final Duration IN_RECOVERY = Duration.ofSeconds(Integer.getInteger("failover.seconds", 2));

    @TempDir
    private Path directory;

    @Activity(startToClose = "60s", retry = @Retry(maxAttempts = 1))
    interface Shop {
        String ship(String order);
    }

    @Activity(transactional = true, startToClose = "60s", retry = @Retry(maxAttempts = 1))
    interface Ledger {
        int book(String order) throws SQLException;
    }

    @Workflow
    static class Order {
        private final Shop shop;
        private final Ledger ledger;

        Order(Shop shop, Ledger ledger) {
            this.shop = shop;
            this.ledger = ledger;
        }

        @Run
        String run(String order) throws Exception {
            int rows = ledger.book(order);
            return shop.ship(order) + " " + rows;
        }
    }

    /** Completed bookings without their row, and rows without their completion; the booking is the first activity. */
    private static final String BOOKED_OTHERWISE = """
            select coalesce(b.idempotency_key, c.key) from booking b
              full join (select e.run_id || ':1' as key from durable.history_event e
                          where e.type = 'ActivityCompleted' and durable.seq_of(e.attributes) = 1) c
                on c.key = b.idempotency_key
             where c.key is null or b.idempotency_key is null""";

    /** Workflows that run on whichever server there is. */
    private static final class Load implements AutoCloseable {
        final List<WorkflowHandle<Order, String>> acknowledged = new CopyOnWriteArrayList<>();
        final Map<String, Integer> shipped = new ConcurrentHashMap<>();
        final DurableEngine engine;
        private final HikariDataSource pool;
        private final AtomicBoolean enough = new AtomicBoolean();
        private final List<Throwable> refused = new CopyOnWriteArrayList<>();
        private final Thread starter;

        Load(DataSource servers) throws SQLException {
            HikariConfig config = new HikariConfig();
            config.setDataSource(servers);
            config.setMaximumPoolSize(16);
            config.setConnectionTimeout(1000);
            pool = new HikariDataSource(config);
            execute(
                    pool,
                    "create table if not exists booking (idempotency_key text primary key, account text not null)");
            engine = DurableEngine.builder(PostgresHistoryStore.of(pool))
                    .register(Order.class)
                    .activity(Shop.class, order -> {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                        shipped.merge(order, 1, Integer::sum);
                        return "shipped";
                    })
                    .activity(Ledger.class, order -> {
                        int rows = TransactionalActivityTest.insert(order);
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                        assertThat(ActivityContext.current().info().attempt()).isEqualTo(1);
                        return rows;
                    })
                    .start();
            starter = Thread.ofPlatform().start(this::startOrders);
        }

        private void startOrders() {
            for (int i = 0; !enough.get(); i++) {
                String id = "order-" + i;
                try {
                    acknowledged.add(engine.client().start(Order.class, id, w -> w.run(id)));
                } catch (StoreUnavailableException e) {
                    // The run may have started all the same, as the caller got no other answer.
                } catch (RuntimeException e) {
                    refused.add(e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }

        void runFor(Duration time) {
            long end = System.nanoTime() + time.toNanos();
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }

        void runUntilMore(int orders) {
            int before = acknowledged.size();
            Bench.awaitThat(() -> acknowledged.size() >= before + orders);
        }

        /** Waits until every acknowledged run completes, each of its bodies in its first attempt. */
        void completes() throws Exception {
            enough.set(true);
            starter.join();
            assertThat(refused).as("starts that were refused").isEmpty();
            for (WorkflowHandle<Order, String> run : acknowledged) {
                assertThat(run.result(Bench.SOON)).isEqualTo("shipped 1");
            }
            assertThat(shipped.values()).as("each order is shipped once").containsOnly(1);
            assertThat(column("select distinct e.type || coalesce(' ' || (e.attributes ->> 'reason'), '')"
                            + " from durable.history_event e where e.type like 'Activity%'"))
                    .as("attempts that failed")
                    .isSubsetOf("ActivityScheduled", "ActivityCompleted", "ActivityAttemptFailed outage");
            assertThat(column(BOOKED_OTHERWISE))
                    .as("orders that are not booked exactly once")
                    .isEmpty();
            assertThat(SqlInvariants.check(pool)).isEmpty();
        }

        private List<String> column(String sql) throws SQLException {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    var rows = statement.executeQuery(sql)) {
                List<String> values = new ArrayList<>();
                while (rows.next()) {
                    values.add(rows.getString(1));
                }
                return values;
            }
        }

        @Override
        public void close() {
            enough.set(true);
            engine.close();
            pool.close();
        }
    }

    /** The URL has no targetServerType: a proxy with one address, or stale DNS, has the same effect. */
    @Test
    void a_server_that_comes_back_as_a_standby_uses_no_attempt_and_refuses_no_start() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.at(directory);
        try (Load load = new Load(server.dataSource())) {
            load.runUntilMore(10);
            server.close();
            Standby.willBe(directory);
            server = EmbeddedPostgres.at(directory);
            Bench.awaitThat(() ->
                    String.join("\n", load.engine.problems()).contains("connected to a standby or read-only server"));
            assertThat(String.join("\n", load.engine.problems())).contains("targetServerType=primary");
            Bench.awaitThat(() -> isReadable(load.engine));
            load.runFor(IN_RECOVERY);
            Standby.promote(server);
            load.runUntilMore(10);
            load.completes();
            assertThat(load.engine.problems()).isEmpty();
        } finally {
            server.close();
        }
    }

    @Test
    void a_client_reads_on_a_standby_and_a_worker_is_told_that_it_is_one() throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.at(directory);
        try {
            try (Load load = new Load(server.dataSource())) {
                load.runUntilMore(1);
                load.completes();
            }
            server.close();
            Standby.willBe(directory);
            server = EmbeddedPostgres.at(directory);
            DataSource standby = server.dataSource();
            try (DurableEngine client = DurableEngine.builder(PostgresHistoryStore.of(standby))
                    .clientOnly()
                    .start()) {
                assertThat(client.client().workflows().page(1)).hasSize(1);
                assertThat(client.client()
                                .handle("order-0")
                                .describe()
                                .summary()
                                .workflowId())
                        .isEqualTo("order-0");
                assertThat(client.client().history("order-0")).isNotEmpty();
                assertThat(client.client().activities().page(1)).isEmpty();
            }
            DataSource refusing = beginning("begin isolation level serializable", standby);
            assertThatThrownBy(() -> PostgresHistoryStore.of(refusing).now())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("refused to begin a transaction (SQLSTATE 0A000)");
            assertThatThrownBy(() -> DurableEngine.builder(PostgresHistoryStore.of(standby))
                            .start())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("connected to a standby or read-only server")
                    .hasMessageContaining("targetServerType=primary");
        } finally {
            server.close();
        }
    }

    /** Connections that begin transactions with these words, some of which a standby refuses. */
    private static DataSource beginning(String words, DataSource dataSource) {
        return proxy(DataSource.class, (method, arguments) -> {
            Object result = method.invoke(dataSource, arguments);
            return !(result instanceof Connection connection)
                    ? result
                    : proxy(Connection.class, (called, with) -> {
                        if (called.getName().equals("prepareStatement")) {
                            with[0] = String.valueOf(with[0]).replace("begin isolation level read committed", words);
                        }
                        return called.invoke(connection, with);
                    });
        });
    }

    private interface Call {
        Object of(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return call.of(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** Two servers, synchronous replication: acknowledged commits are on both. */
    @Test
    void a_failover_to_a_standby_loses_nothing_that_was_acknowledged_and_uses_no_attempt() throws Exception {
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        EmbeddedPostgres.at(first).close();
        Standby.copy(first, second);
        try (EmbeddedPostgres primary = EmbeddedPostgres.builder()
                        .directory(first)
                        .setting("synchronous_standby_names", "standby")
                        .start();
                EmbeddedPostgres standby = Standby.of(primary, second);
                LogLines log = new LogLines();
                Load load = new Load(both(primary, standby))) {
            load.runUntilMore(20);
            log.begin();
            Standby.crash(primary);
            load.runFor(IN_RECOVERY);
            Standby.promote(standby);
            load.runUntilMore(20);
            List<String> lines = log.end(Integer.toString(primary.port()));
            load.completes();
            assertThat(lines).as("the log of the failover").hasSizeLessThan(MOST_LINES);
        }
    }

    /** The greatest number of lines of the engine's loops and its store, at INFO and above. */
    private static final int MOST_LINES = Integer.getInteger("failover.lines", 20);

    /** A client that has just started a run does not see that the replica is somewhat behind. */
    @Test
    void a_replica_answers_listings_descriptions_and_histories() throws Exception {
        Path first = directory.resolve("first");
        Path second = directory.resolve("second");
        EmbeddedPostgres.at(first).close();
        Standby.copy(first, second);
        try (EmbeddedPostgres primary = EmbeddedPostgres.at(first);
                EmbeddedPostgres replica = Standby.of(primary, second);
                DurableEngine worker = Bench.engineOn(primary.pooledDataSource(10))
                        .register(Order.class)
                        .activity(Shop.class, order -> "shipped")
                        .activity(Ledger.class, order -> 1)
                        .start()) {
            worker.client().start(Order.class, "seen", w -> w.run("seen")).result(Bench.SOON);
            PostgresHistoryStore store = PostgresHistoryStore.builder(primary.pooledDataSource(4))
                    .readFrom(replica.pooledDataSource(2))
                    .build();
            try (DurableEngine engine = DurableEngine.builder(store)
                    .register(Order.class)
                    .clientOnly()
                    .start()) {
                Bench.awaitThat(() -> engine.client().workflows().count() == 1
                        && engine.client()
                                        .workflows()
                                        .page(1)
                                        .getFirst()
                                        .summary()
                                        .closedAt()
                                != null);
                Standby.execute(replica, "select pg_wal_replay_pause()");
                worker.client()
                        .start(Order.class, "unseen", w -> w.run("unseen"))
                        .result(Bench.SOON);

                assertThat(engine.client().workflows().page(5))
                        .as("a listing is the replica's")
                        .extracting(row -> row.summary().workflowId())
                        .containsExactly("seen");
                assertThat(engine.client().workflows().count()).isEqualTo(1);
                assertThat(engine.client().activities().page(5)).isEmpty();
                assertThat(engine.client().deadLetters().groups(5)).isEmpty();
                assertThat(engine.client().history("seen")).hasSizeGreaterThan(3);
                assertThat(engine.client().history("unseen"))
                        .as("what is named and not there yet is the primary's")
                        .hasSizeGreaterThan(3);
                assertThat(engine.client().handle("unseen").describe().summary().closedAt())
                        .isNotNull();
                assertThat(engine.client().handle(Order.class, "unseen").result(Bench.SOON))
                        .as("results are the primary's")
                        .isEqualTo("shipped 1");
                Standby.execute(replica, "select pg_wal_replay_resume()");
                Bench.awaitThat(() -> engine.client().workflows().count() == 2);
            }
        }
    }

    private static DataSource both(EmbeddedPostgres primary, EmbeddedPostgres standby) {
        PGSimpleDataSource both = new PGSimpleDataSource();
        both.setUrl(
                "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?targetServerType=primary&hostRecheckSeconds=1&sslmode=disable"
                        .formatted(primary.port(), standby.port()));
        both.setUser(primary.username());
        both.setPassword(primary.password());
        return both;
    }

    private static boolean isReadable(DurableEngine engine) {
        try {
            return !engine.client().workflows().page(1).isEmpty();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The lines that this process logs at INFO and above; other tests log meanwhile. */
    private static final class LogLines implements AutoCloseable {
        private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

        void begin() {
            lines.start();
            root.addAppender(lines);
        }

        /** Returns the lines of Durable that contain the word. */
        List<String> end(String word) {
            root.detachAppender(lines);
            return List.copyOf(lines.list).stream()
                    .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                    .map(line -> line.getLoggerName() + ": " + line.getFormattedMessage())
                    .filter(line -> line.startsWith("dev.durable") && line.contains(word))
                    .toList();
        }

        @Override
        public void close() {
            root.detachAppender(lines);
        }
    }
}
