package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.ActivityFailedException;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.UsageException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.spring.Shop.Kind;
import dev.durable.spring.app.GreetingWorkflow;
import dev.durable.spring.app.Purchase;
import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.CallerTransactions;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Data sources, transaction managers, stores and activities as applications declare them. */
@Timeout(90)
@Tag("slow")
class SpringBeansTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    // ── the DataSource and its manager ──────────────────────────────────────────────────────────────────────────────

    @ParameterizedTest(name = "autocommit {0}")
    @ValueSource(booleans = {true, false})
    void of_several_data_sources_the_marked_one_is_taken_with_the_manager_that_is_for_it(boolean autoCommit) {
        try (TestDatabase other = TestDatabase.create();
                Shop shop = new Shop(
                        Kind.JPA,
                        autoCommit,
                        context -> context.registerBean("other", DataSource.class, () -> other.pooledDataSource(3)),
                        Marked.class,
                        OtherManager.class,
                        Stocking.class)) {
            rollBack(shop.transaction(), () -> shop.start("rolled-back"));
            assertThat(shop.started("rolled-back")).isFalse();

            // Nothing that this one does to its database can take the start along.
            TransactionTemplate foreign =
                    new TransactionTemplate(shop.context.getBean("otherManager", PlatformTransactionManager.class));
            rollBack(foreign, () -> shop.start("in-the-others"));
            assertThat(shop.started("in-the-others")).isTrue();

            assertThat(stock(shop, "by-jpa", 2)).isEqualTo(3);
            assertThat(shop.bought("by-jpa/3")).isTrue();
            assertThat(shop.bought("by-jpa/1")).isFalse();
        }
    }

    @ParameterizedTest(name = "autocommit {0}")
    @ValueSource(booleans = {true, false})
    void a_connection_that_is_only_used_in_the_transaction_of_another_data_source_is_none_to_take_part_in(
            boolean autoCommit) {
        try (TestDatabase other = TestDatabase.create();
                Shop shop = new Shop(
                        Kind.JDBC,
                        autoCommit,
                        context -> context.registerBean("other", DataSource.class, () -> other.pooledDataSource(3)),
                        Marked.class,
                        OtherManager.class)) {
            TransactionTemplate foreign =
                    new TransactionTemplate(shop.context.getBean("otherManager", PlatformTransactionManager.class));
            foreign.executeWithoutResult(status -> {
                shop.buy("bread");
                if (autoCommit) {
                    shop.start("bread");
                } else {
                    assertThatThrownBy(() -> shop.start("bread"))
                            .isInstanceOf(UsageException.class)
                            .hasMessageContaining("no transaction manager that Durable knows has begun a transaction");
                }
            });
            assertThat(shop.started("bread")).isEqualTo(autoCommit);
        }
    }

    @Test
    void histories_may_be_in_a_database_of_their_own() {
        try (TestDatabase flows = TestDatabase.create();
                Shop shop = new Shop(
                        Kind.JDBC,
                        false,
                        context -> context.registerBean(TestDatabase.class, () -> flows),
                        Parted.class)) {
            rollBack(shop.transaction(), () -> {
                shop.buy("bread");
                shop.start("apart");
            });
            assertThat(shop.bought("bread")).isFalse();
            assertThat(new JdbcTemplate(flows.dataSource())
                            .queryForList("select workflow_id from durable.v_workflow", String.class))
                    .containsExactly("apart");
        }
    }

    @Test
    void data_sources_that_are_marked_twice_are_refused() {
        assertThatThrownBy(() -> new Shop(Kind.JDBC, true, Marked.class, MarkedAgain.class))
                .rootCause()
                .isInstanceOf(SetupException.class)
                .hasMessage("Durable keeps its histories in one DataSource, and 2 DataSource beans are marked"
                        + " @DurableDataSource. Leave @DurableDataSource at one of them.");
    }

    @Test
    void what_is_behind_a_transaction_aware_proxy_is_used() {
        try (Shop shop = new Shop(Kind.JDBC, true, Proxied.class, Stocking.class)) {
            rollBack(shop.transaction(), () -> shop.start("rolled-back"));
            assertThat(shop.started("rolled-back")).isFalse();
            assertThat(stock(shop, "by-jdbc", 2)).isEqualTo(3);
            assertThat(shop.bought("by-jdbc/1")).isFalse();
        }
    }

    @Test
    void of_several_managers_for_one_data_source_one_must_be_primary_where_an_activity_is_transactional() {
        assertThatThrownBy(() -> new Shop(Kind.JPA, true, SecondManager.class, Stocking.class))
                .isInstanceOf(SetupException.class)
                .hasMessage("Durable runs transactional activities in transactions of its DataSource, and there are 2"
                        + " PlatformTransactionManager beans for it, none of them primary: secondManager,"
                        + " transactionManager. Mark the one whose transactions the application's code takes part in as"
                        + " @Primary, or give an ActivityTransactions bean.");
        try (Shop shop = new Shop(Kind.JPA, true, SecondManager.class)) {
            shop.start("needs-none");
            assertThat(shop.started("needs-none")).isTrue();
        }
    }

    @Test
    void managers_that_do_not_tell_their_data_source_are_no_reason_to_begin_transactions_beside_them() {
        try (TestDatabase flows = TestDatabase.migrated()) {
            assertThatThrownBy(() -> new Shop(
                            Kind.JDBC,
                            true,
                            context -> context.registerBean(TestDatabase.class, () -> flows),
                            Parted.class,
                            SilentManagers.class,
                            Stocking.class))
                    .isInstanceOf(SetupException.class)
                    .hasMessage(
                            "Durable runs transactional activities in transactions of its DataSource, and none of the"
                                    + " PlatformTransactionManager beans that may be for it tells its DataSource: one, other. Mark"
                                    + " the one whose transactions the application's code takes part in as @Primary, or give an"
                                    + " ActivityTransactions bean.");
        }
    }

    /** The key says to which database a transaction goes; the histories are in one. */
    @Test
    void a_data_source_that_routes_is_asked_once_for_its_default() {
        try (TestDatabase other = TestDatabase.create();
                Shop shop = new Shop(
                        Kind.JDBC,
                        true,
                        context -> context.registerBean(TestDatabase.class, () -> other),
                        Routing.class)) {
            TransactionTemplate routed =
                    new TransactionTemplate(shop.context.getBean("routed", PlatformTransactionManager.class));
            rollBack(routed, () -> shop.start("rolled-back"));
            assertThat(shop.started("rolled-back")).isFalse();
            assertThat(stock(shop, "by-default", 1)).isEqualTo(2);
            assertThat(shop.bought("by-default/1")).isFalse();

            Routing.KEY.set("other");
            try {
                routed.executeWithoutResult(status -> assertThatThrownBy(() -> shop.start("elsewhere"))
                        .isInstanceOf(UsageException.class)
                        .hasMessageContaining("another database"));
                shop.client().independent().start(GreetingWorkflow.class, "apart", w -> w.run("apart"));
                assertThat(shop.started("apart")).isTrue();
            } finally {
                Routing.KEY.remove();
            }
        }
    }

    @Test
    void the_manager_of_a_parent_context_is_seen() {
        try (TestDatabase database = TestDatabase.create();
                AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext();
                AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
            parent.registerBean("dataSource", DataSource.class, () -> database.pooledDataSource(8));
            parent.register(Shop.Jdbc.class);
            parent.refresh();
            child.setParent(parent);
            child.register(Shop.Base.class, DurableAutoConfiguration.class);
            AutoConfigurationPackages.register(child, GreetingWorkflow.class.getPackageName());
            child.refresh();
            DurableClient client = child.getBean(DurableClient.class);
            rollBack(
                    new TransactionTemplate(parent.getBean(PlatformTransactionManager.class)),
                    () -> client.start(GreetingWorkflow.class, "never", w -> w.run("never")));
            assertThatThrownBy(() -> client.history("never")).isInstanceOf(WorkflowNotFoundException.class);
        }
    }

    // ── a store of the application's own ────────────────────────────────────────────────────────────────────────────

    @Test
    void a_store_that_knows_nothing_of_springs_transactions_is_refused_with_the_ways_out() {
        assertThatThrownBy(() -> new Shop(Kind.JDBC, true, PlainStore.class))
                .isInstanceOf(SetupException.class)
                .satisfies(refused -> {
                    var analysis = new DurableFailureAnalyzer().analyze(refused);
                    assertThat(analysis.getDescription())
                            .isEqualTo("The HistoryStore bean was built without transactions, and its DataSource has"
                                    + " Spring's, by transactionManager: a workflow that is started in @Transactional would"
                                    + " stay when that is rolled back, and what a transactional activity writes would be"
                                    + " committed apart from its completion.");
                    assertThat(analysis.getAction())
                            .isEqualTo(
                                    "Leave the bean out and mark its DataSource as @DurableDataSource (durable.schema"
                                            + " and durable.migrate count then), or build it with"
                                            + " SpringTransactions.store(dataSource, transactionManager). If it shall stay out of"
                                            + " Spring's transactions, say .transactions(CallerTransactions.NONE).");
                });
    }

    @Test
    void a_store_may_be_told_to_stay_out_of_springs_transactions() {
        try (Shop shop = new Shop(Kind.JDBC, true, StoreApart.class)) {
            rollBack(shop.transaction(), () -> shop.start("stays"));
            assertThat(shop.started("stays")).isTrue();
        }
    }

    @Test
    void a_store_of_ones_own_takes_part_in_springs_transactions() {
        try (Shop shop = new Shop(Kind.JPA, true, StoreWithTransactions.class, Stocking.class)) {
            rollBack(shop.transaction(), () -> shop.start("rolled-back"));
            assertThat(shop.started("rolled-back")).isFalse();
            assertThatThrownBy(() -> stock(shop, "never", 9)).isInstanceOf(ActivityFailedException.class);
            assertThat(shop.bought("never/1")).isFalse();
            assertThat(stock(shop, "at-last", 1)).isEqualTo(2);
            assertThat(shop.bought("at-last/1")).isFalse();
            assertThat(shop.bought("at-last/2")).isTrue();
        }
    }

    @Test
    void a_store_with_the_manager_of_another_data_source_is_refused() {
        try (TestDatabase database = TestDatabase.create()) {
            DataSource its = database.dataSource();
            JdbcTransactionManager others = new JdbcTransactionManager(database.pooledDataSource(1));
            assertThatThrownBy(() -> SpringTransactions.store(its, others))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("SpringTransactions.store(dataSource, manager): the manager, a"
                            + " org.springframework.jdbc.support.JdbcTransactionManager, begins transactions of another"
                            + " DataSource than the one given, so what is started in them would not take part. Usual cause:"
                            + " the application has several, and the primary manager was injected. Give the manager of this"
                            + " DataSource, by its bean's name.");
        }
    }

    // ── activities and the client ───────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_activity_may_have_the_client_injected_itself_or_by_another_bean() {
        try (Shop shop = new Shop(Kind.JDBC, true, Delivering.class)) {
            Integer attempt = shop.client()
                    .enqueue(Deliveries.class, d -> d.deliver("parcel", 2))
                    .resultAs(Integer.class, SOON);
            assertThat(attempt).isEqualTo(3);
            // What the body started takes part in its transaction, directly and by the other bean.
            for (String id : new String[] {"parcel/3", "parcel/3/letter"}) {
                assertThat(shop.client().handle(GreetingWorkflow.class, id).resultAs(String.class))
                        .isEqualTo("hello " + id);
            }
            assertThat(shop.started("parcel/1")).isFalse();
            assertThat(shop.started("parcel/1/letter")).isFalse();
        }
    }

    @Test
    void a_bean_may_call_the_client_while_others_are_made() {
        try (Shop shop = new Shop(Kind.JDBC, true, Early.class)) {
            assertThat(shop.client().handle(GreetingWorkflow.class, "early").resultAs(String.class))
                    .isEqualTo("hello early");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Hasty.class, HastyNeed.class})
    void an_activity_that_calls_the_client_before_it_is_made_is_refused(Class<?> declaring) {
        assertThatThrownBy(() -> new Shop(Kind.JDBC, true, declaring))
                .hasStackTraceContaining(
                        "Durable's client was called while the application's beans were still being made,"
                                + " and activity bean hasty is not there yet. Usual cause: a constructor or @PostConstruct method"
                                + " of an activity bean, or of a bean that it needs, that calls the client. Call it later: in an"
                                + " ApplicationRunner, or when ApplicationReadyEvent comes.");
    }

    private static void rollBack(TransactionTemplate transaction, Runnable call) {
        transaction.executeWithoutResult(status -> {
            call.run();
            status.setRollbackOnly();
        });
    }

    private static Integer stock(Shop shop, String what, int failures) {
        return shop.client().enqueue(Stock.class, s -> s.add(what, failures)).resultAs(Integer.class, SOON);
    }

    // ── what they declare ───────────────────────────────────────────────────────────────────────────────────────────

    /** Adds a row in the transaction of the attempt, and fails so many attempts after that. */
    @Activity(retry = @Retry(initialInterval = "1ms", maxAttempts = 3, onExhausted = OnExhausted.FAIL))
    interface Stock {
        @Activity(transactional = true)
        int add(String what, int failures);
    }

    static class Stocking {
        @Bean
        Stock stock(@Qualifier("dataSource") DataSource dataSource, Optional<EntityManagerFactory> jpa) {
            return (what, failures) -> {
                int attempt = ActivityContext.current().info().attempt();
                String id = what + "/" + attempt;
                jpa.map(SharedEntityManagerCreator::createSharedEntityManager)
                        .ifPresentOrElse(
                                entities -> {
                                    entities.persist(new Purchase(id));
                                    entities.flush();
                                },
                                () -> new JdbcTemplate(dataSource).update("insert into purchase (id) values (?)", id));
                if (attempt <= failures) {
                    throw new IllegalStateException("after its writes");
                }
                return attempt;
            };
        }
    }

    /** The shop's own, under another name: of two beans the marked one counts. */
    static class Marked {
        @Bean
        @DurableDataSource
        DataSource durables(@Qualifier("dataSource") DataSource dataSource) {
            return new TransactionAwareDataSourceProxy(dataSource);
        }
    }

    static class Parted {
        // docs: spring-marked
        @Bean(defaultCandidate = false)
        @DurableDataSource
        DataSource flows(TestDatabase database) {
            return database.pooledDataSource(10);
        }
        // docs: end
    }

    static class MarkedAgain {
        @Bean
        @DurableDataSource
        DataSource durablesAgain(@Qualifier("dataSource") DataSource dataSource) {
            return new TransactionAwareDataSourceProxy(dataSource);
        }
    }

    static class OtherManager {
        @Bean
        JdbcTransactionManager otherManager(@Qualifier("other") DataSource other) {
            return new JdbcTransactionManager(other);
        }
    }

    static class SecondManager {
        @Bean
        JdbcTransactionManager secondManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    /** Of two that do not tell, none can be taken. */
    static class SilentManagers {
        @Bean
        PlatformTransactionManager one() {
            return new Silent();
        }

        @Bean
        PlatformTransactionManager other() {
            return new Silent();
        }
    }

    /** Begins transactions of something, as JTA does. */
    static class Silent implements PlatformTransactionManager {
        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return new SimpleTransactionStatus();
        }

        @Override
        public void commit(TransactionStatus status) {}

        @Override
        public void rollback(TransactionStatus status) {}
    }

    static class Routing {
        static final ThreadLocal<String> KEY = new ThreadLocal<>();

        @Bean
        @DurableDataSource
        DataSource routing(@Qualifier("dataSource") DataSource dataSource, TestDatabase other) {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    return KEY.get();
                }
            };
            routing.setDefaultTargetDataSource(dataSource);
            routing.setTargetDataSources(Map.of("other", other.pooledDataSource(2)));
            return routing;
        }

        @Bean
        Stock stock(@Qualifier("routing") DataSource routing) {
            return new Stocking().stock(routing, Optional.empty());
        }

        @Bean
        JdbcTransactionManager routed(@Qualifier("routing") DataSource routing) {
            return new JdbcTransactionManager(routing);
        }
    }

    static class Proxied {
        @Bean
        @Primary
        DataSource proxy(@Qualifier("dataSource") DataSource dataSource) {
            return new TransactionAwareDataSourceProxy(dataSource);
        }
    }

    static class PlainStore {
        @Bean
        HistoryStore historyStore(DataSource dataSource) {
            return PostgresHistoryStore.of(dataSource);
        }
    }

    static class StoreApart {
        @Bean
        HistoryStore historyStore(DataSource dataSource) {
            return PostgresHistoryStore.builder(dataSource)
                    .transactions(CallerTransactions.NONE)
                    .build();
        }
    }

    static class StoreWithTransactions {
        // docs: spring-store
        @Bean
        HistoryStore historyStore(DataSource dataSource, PlatformTransactionManager manager) {
            return SpringTransactions.store(dataSource, manager).inboxLimit(100).build();
        }
        // docs: end
    }

    /** Starts a workflow by the client, and another by a bean that has the client, and fails so many attempts then. */
    @Activity(retry = @Retry(initialInterval = "1ms", maxAttempts = 3), transactional = true)
    interface Deliveries {
        int deliver(String what, int failures);
    }

    record Letters(DurableClient client) {
        void write(String id) {
            client.start(GreetingWorkflow.class, id, w -> w.run(id));
        }
    }

    static class Delivering {
        @Bean
        Letters letters(DurableClient client) {
            return new Letters(client);
        }

        @Bean
        Deliveries deliveries(DurableClient client, Letters letters) {
            return (what, failures) -> {
                int attempt = ActivityContext.current().info().attempt();
                String id = what + "/" + attempt;
                client.start(GreetingWorkflow.class, id, w -> w.run(id));
                letters.write(id + "/letter");
                if (attempt <= failures) {
                    throw new IllegalStateException("after its starts");
                }
                return attempt;
            };
        }
    }

    static class Early {
        Early(DurableClient client) {
            client.start(GreetingWorkflow.class, "early", w -> w.run("early"));
        }
    }

    static class Hasty {
        @Bean
        Impatient hasty(DurableClient client) {
            client.start(GreetingWorkflow.class, "hasty", w -> w.run("hasty"));
            return new Impatient();
        }
    }

    static class HastyNeed {
        @Bean
        Early early(DurableClient client) {
            return new Early(client);
        }

        @Bean
        Impatient hasty(Early needed) {
            return new Impatient();
        }
    }

    @Activity
    static class Impatient {
        public void work() {}
    }
}
