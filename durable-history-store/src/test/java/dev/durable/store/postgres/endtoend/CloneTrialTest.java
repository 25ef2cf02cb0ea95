package dev.durable.store.postgres.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.ForeignInstallationException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.Workflow;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.Installation;
import dev.durable.client.Installation.OpenWork;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowStatus;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.SchemaMode;
import dev.durable.store.postgres.testing.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests that a copy of production's database, made to refresh staging, does none of production's work. */
@Timeout(300)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class CloneTrialTest {
    private static final int RUNS = 20;

    @Activity
    interface Payments {
        String charge(String order);

        String ship(String order);
    }

    @Workflow
    static class Order {
        private final Payments payments;
        private boolean approved;

        Order(Payments payments) {
            this.payments = payments;
        }

        @Run
        String run(String order) {
            payments.charge(order);
            Durable.await(Duration.ofDays(1), () -> approved);
            return payments.ship(order);
        }

        @Signal
        void approve() {
            approved = true;
        }
    }

    private record Ledger(AtomicInteger bodies) implements Payments {
        Ledger() {
            this(new AtomicInteger());
        }

        @Override
        public String charge(String order) {
            bodies.incrementAndGet();
            return order;
        }

        @Override
        public String ship(String order) {
            return charge(order);
        }
    }

    /** A pool that is closed before the copy, as a database can only be copied when no session is connected. */
    private static HikariDataSource pool(TestDatabase database) {
        return (HikariDataSource) database.pooledDataSource(8);
    }

    private static DurableEngine.Builder engine(DataSource dataSource, @Nullable String installation, Ledger ledger) {
        DurableEngine.Builder engine =
                Bench.engineOn(dataSource).register(Order.class).activity(Payments.class, ledger);
        return installation == null ? engine : engine.installation(installation);
    }

    /**
     * Starts runs, of which half wait for a signal that is there and was not read, while the others were never begun;
     * and enqueues a job that waits.
     */
    private static void open(TestDatabase database, @Nullable String installation, Ledger ledger) {
        try (HikariDataSource pool = pool(database)) {
            open(pool, installation, ledger);
        }
    }

    private static void open(DataSource dataSource, @Nullable String installation, Ledger ledger) {
        try (DurableEngine worker = engine(dataSource, installation, ledger).start()) {
            for (int i = 0; i < RUNS / 2; i++) {
                String id = "order-" + i;
                WorkflowHandle<Order, String> run =
                        worker.client().start(Order.class, StartOptions.id(id), o -> o.run(id));
                Bench.awaitThat(
                        run, d -> d.historyLength() > 2 && d.activities().isEmpty());
            }
        }
        try (DurableEngine client =
                engine(dataSource, installation, ledger).clientOnly().start()) {
            for (int i = 0; i < RUNS; i++) {
                String id = "order-" + i;
                if (i >= RUNS / 2) {
                    client.client().start(Order.class, StartOptions.id(id), o -> o.run(id));
                }
                client.client().handle(Order.class, id).signal(Order::approve);
            }
            client.client().enqueue(Payments.class, StartOptions.id("job"), p -> p.charge("job"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "prod"})
    void a_copy_of_twenty_open_runs_begins_nothing_until_it_is_adopted_and_nothing_of_them_after_it(String prod)
            throws Exception {
        String name = prod.isEmpty() ? null : prod;
        Ledger before = new Ledger();
        Ledger staging = new Ledger();
        Ledger production = new Ledger();
        try (TestDatabase original = TestDatabase.migrated()) {
            open(original, name, before);
            assertThat(before.bodies()).as("charged before the copy was made").hasValue(RUNS / 2);
            try (TestDatabase copy = TestDatabase.copyOf(original)) {
                refused(copy, staging);
                assertThat(Installation.of(PostgresHistoryStore.of(copy.dataSource()))
                                .by("ann")
                                .adopt("staging", OpenWork.CANCEL))
                        .isEqualTo(RUNS + 1);
                adopted(copy, staging);
            }
            assertThat(staging.bodies()).as("of production's work, on the copy").hasValue(0);
            goesOn(original, name, production);
        }
    }

    private static void refused(TestDatabase copy, Ledger staging) throws SQLException {
        assertThatThrownBy(() -> engine(copy.dataSource(), "staging", staging).start())
                .isInstanceOf(ForeignInstallationException.class)
                .hasMessageContaining("adopt(\"staging\", OpenWork.CANCEL)");
        assertThatThrownBy(() -> engine(copy.dataSource(), null, staging).start())
                .isInstanceOf(ForeignInstallationException.class);
        try (DurableEngine client =
                engine(pool(copy), "staging", staging).clientOnly().start()) {
            DurableClient reads = client.client();
            assertThat(reads.workflows()
                            .where(w -> w.status(WorkflowStatus.RUNNING))
                            .count())
                    .isEqualTo(RUNS + 1);
            assertThat(reads.handle(Order.class, "order-0").describe().summary().status())
                    .isEqualTo(WorkflowStatus.RUNNING);
            for (Runnable write : List.<Runnable>of(
                    () -> reads.start(Order.class, StartOptions.id("new"), o -> o.run("new")),
                    () -> reads.enqueue(Payments.class, StartOptions.id("new"), p -> p.charge("new")),
                    () -> reads.handle(Order.class, "order-0").signal(Order::approve),
                    () -> reads.handle(Order.class, "order-0").cancel(),
                    () -> reads.handle(Order.class, "order-0").terminate("mine"),
                    () -> reads.queues().by("ann").pause("default"))) {
                assertThatThrownBy(write::run).isInstanceOf(ForeignInstallationException.class);
            }
            inATransactionOfTheCallersToo(copy, reads);
            assertThat(client.healthy()).isFalse();
            assertThat(client.problems())
                    .singleElement()
                    .asString()
                    .contains("This process does none of the work there");
        }
        assertThat(staging.bodies()).hasValue(0);
    }

    private static void inATransactionOfTheCallersToo(TestDatabase copy, DurableClient client) throws SQLException {
        try (Connection connection = copy.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            DurableClient joined = client.joining(connection);
            assertThatThrownBy(() -> joined.handle(Order.class, "order-0").signal(Order::approve))
                    .isInstanceOf(ForeignInstallationException.class);
            assertThatThrownBy(() -> joined.start(Order.class, StartOptions.id("new"), o -> o.run("new")))
                    .isInstanceOf(ForeignInstallationException.class);
            connection.rollback();
        }
    }

    private static void adopted(TestDatabase copy, Ledger staging) throws SQLException {
        try (DurableEngine worker = engine(pool(copy), "staging", staging).start()) {
            DurableClient client = worker.client();
            assertThat(client.workflows()
                            .where(w -> w.status(WorkflowStatus.RUNNING))
                            .count())
                    .isZero();
            assertThat(client.workflows()
                            .where(w -> w.status(WorkflowStatus.TERMINATED))
                            .count())
                    .isEqualTo(RUNS + 1);
            assertThat(client.history("order-0").getLast().toString())
                    .contains("the database that it was open in was adopted as installation staging");
            assertThat(texts(copy.dataSource(), """
                    select 'run_state' from durable.run_state union all select 'job' from durable.activity_job
                    union all select 'inbox' from durable.inbox union all select 'outbox' from durable.outbox""")).isEmpty();
            // Long enough for all loops to have polled more than once.
            LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
            assertThat(staging.bodies()).hasValue(0);
            assertThat(worker.healthy()).isTrue();
            String own = client.start(Order.class, StartOptions.id("of-staging"), o -> o.run("of-staging"))
                    .workflowId();
            client.handle(Order.class, own).signal(Order::approve);
            assertThat(client.handle(Order.class, own).resultAs(String.class)).isEqualTo("of-staging");
            staging.bodies().addAndGet(-2);
        }
    }

    private static void goesOn(TestDatabase original, @Nullable String name, Ledger production) throws SQLException {
        try (DurableEngine worker = engine(pool(original), name, production).start()) {
            for (int i = 0; i < RUNS; i++) {
                assertThat(worker.client().handle(Order.class, "order-" + i).resultAs(String.class))
                        .isEqualTo("order-" + i);
            }
            assertThat(worker.client().handle("job").resultAs(String.class)).isEqualTo("job");
        }
        assertThat(production.bodies())
                .as("10 to charge, 20 to ship, and the job")
                .hasValue(RUNS / 2 + RUNS + 1);
        assertThat(texts(original.dataSource(), "select action from durable.audit where action like 'adopt%'"))
                .isEmpty();
    }

    @Test
    void an_adoption_whose_answer_was_lost_is_known_to_have_happened_and_whoever_asks_again_is_told() throws Exception {
        Ledger ledger = new Ledger();
        try (TestDatabase original = TestDatabase.migrated()) {
            open(original, "prod", ledger);
            try (TestDatabase copy = TestDatabase.copyOf(original)) {
                PGSimpleDataSource behind = (PGSimpleDataSource) copy.dataSource();
                try (CuttingProxy proxy = new CuttingProxy(behind.getPortNumbers()[0])) {
                    behind.setServerNames(new String[] {"127.0.0.1"});
                    behind.setPortNumbers(new int[] {proxy.port()});
                    behind.setSslMode("disable");
                    PostgresHistoryStore store = PostgresHistoryStore.builder(behind)
                            .schemaMode(SchemaMode.NONE)
                            .notify(false)
                            .build();
                    store.open();
                    proxy.cut(2, 2);
                    store.now();
                    Installation installation = Installation.of(store).by("ann");

                    assertThat(installation.adopt("staging", OpenWork.CANCEL)).isEqualTo(RUNS + 1);

                    assertThat(proxy.cuts()).isEqualTo(1);
                    proxy.cut(Integer.MAX_VALUE, Integer.MAX_VALUE);
                    assertThatThrownBy(() -> installation.adopt("staging", OpenWork.CANCEL))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageMatching(
                                    "this is installation \"staging\" already, adopted at [0-9: -]+ UTC by ann"
                                            + " with CANCEL, which ended 21 runs \\(so if you ask again because no answer came, it has"
                                            + " been done\\): what is open here is its own work, and was not cancelled\\. .*");
                }
                assertThat(texts(copy.dataSource(), "select actor from durable.audit where action like 'adopt%'"))
                        .containsExactly("ann");
            }
        }
    }

    @Test
    void a_frozen_copy_keeps_its_open_work_until_it_is_let_go_on() {
        Ledger ledger = new Ledger();
        try (TestDatabase original = TestDatabase.migrated()) {
            open(original, "prod", ledger);
            try (TestDatabase copy = TestDatabase.copyOf(original)) {
                Installation installation = Installation.of(PostgresHistoryStore.of(copy.dataSource()))
                        .by("ann");
                Ledger there = new Ledger();

                assertThat(installation.adopt("look", OpenWork.FREEZE)).isZero();

                assertThatThrownBy(
                                () -> engine(copy.dataSource(), "look", there).start())
                        .isInstanceOf(ForeignInstallationException.class)
                        .hasMessageContaining("which was frozen when it was adopted");
                installation.adopt("look", OpenWork.CONTINUE);
                try (DurableEngine worker = engine(pool(copy), "look", there).start()) {
                    for (int i = 0; i < RUNS; i++) {
                        worker.client().handle(Order.class, "order-" + i).resultAs(String.class);
                    }
                    worker.client().handle("job").resultAs(String.class);
                }
                assertThat(there.bodies()).hasValue(RUNS / 2 + RUNS + 1);
            }
        }
    }

    @Test
    void a_worker_under_which_the_database_is_swapped_begins_nothing_there_and_goes_on_when_its_own_is_back() {
        Ledger before = new Ledger();
        Ledger ledger = new Ledger();
        try (TestDatabase original = TestDatabase.migrated()) {
            open(original, "prod", before);
            try (TestDatabase copy = TestDatabase.copyOf(original)) {
                Installation.of(PostgresHistoryStore.of(copy.dataSource())).adopt("staging", OpenWork.CONTINUE);
                long events = number(copy.dataSource(), "select count(*) from durable.history_event");
                DataSource own = pool(original);
                AtomicReference<DataSource> behind = new AtomicReference<>(own);
                try (DurableEngine worker = engine(redirected(behind), "prod", ledger)
                        .queue("default", q -> q.slots(1))
                        .start()) {
                    worker.client().handle("job").resultAs(String.class);

                    behind.set(pool(copy));
                    long deadline = System.nanoTime() + Bench.SOON.toNanos();
                    while (worker.problems().stream()
                            .noneMatch(p -> p.contains("belongs to installation \"staging\""))) {
                        assertThat(System.nanoTime() - deadline).isNegative();
                        LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
                    }
                    assertThat(worker.healthy()).isFalse();
                    // A body that began there would leave an event under a fence or a claim of this worker.
                    assertThat(number(copy.dataSource(), "select count(*) from durable.session"))
                            .isZero();
                    assertThat(number(copy.dataSource(), "select count(*) from durable.history_event"))
                            .isEqualTo(events);
                    behind.set(own);

                    for (int i = 0; i < RUNS; i++) {
                        assertThat(worker.client()
                                        .handle(Order.class, "order-" + i)
                                        .resultAs(String.class))
                                .isEqualTo("order-" + i);
                    }
                }
                assertThat(number(copy.dataSource(), "select count(*) from durable.run_state"))
                        .isEqualTo(RUNS + 1);
            }
        }
    }

    private static long number(DataSource dataSource, String sql) {
        try {
            return Long.parseLong(texts(dataSource, sql).getFirst());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static DataSource redirected(AtomicReference<DataSource> behind) {
        return (DataSource) Proxy.newProxyInstance(
                CloneTrialTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.invoke(behind.get(), arguments));
    }

    private static List<String> texts(DataSource dataSource, String sql) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }
}
