package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.spring.greedy.GreedyWorkflow;
import dev.durable.spring.post.Mail;
import dev.durable.spring.twice.One;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** The output of an application that does not start: a description of what is wrong, and what to do. */
@Timeout(60)
class FailedStartTest {
    private final ApplicationContextRunner inMemory = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DurableAutoConfiguration.class))
            .withBean(HistoryStore.class, InMemoryHistoryStore::new);
    private final ApplicationContextRunner onDataSource = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class, DurableAutoConfiguration.class));

    // ── properties ──────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void keys_that_nothing_reads_are_told_with_the_ones_that_were_meant() {
        inMemory.withPropertyValues(
                        "durable.sesion-lease=30s", "durable.queues.default.slot=3", "durable.something.of.my.own=1")
                .run(context -> {
                    FailureAnalysis shown = shown(context.getStartupFailure());
                    assertThat(shown.getDescription())
                            .isEqualTo("The configuration has 3 keys below durable that Durable does not know:"
                                    + " durable.queues.default.slot (did you mean durable.queues.default.slots?),"
                                    + " durable.sesion-lease (did you mean durable.session-lease?),"
                                    + " durable.something.of.my.own.");
                    assertThat(shown.getAction())
                            .isEqualTo(
                                    "Correct or remove them. docs/spring.md lists all keys; those of an application's own"
                                            + " belong under another name than durable.");
                });
    }

    @Test
    void keys_are_known_in_every_spelling() {
        inMemory.withPropertyValues(
                        "durable.clientOnly=true",
                        "durable.call_timeout=20",
                        "durable.worker.AUTO-STARTUP=false",
                        "durable.stall-on[0]=java.lang.RuntimeException",
                        "durable.queues[my.queue].slots=2",
                        "durable.queues.mail.virtualThreads=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void a_duration_that_is_none_is_told_with_its_property() {
        inMemory.withPropertyValues("durable.drain-timeout=soon")
                .run(context -> assertThat(shown(context.getStartupFailure()).getDescription())
                        .contains("Property: durable.drain-timeout", "Value: \"soon\"")
                        .contains("Reason: failed to convert java.lang.String to"));
        inMemory.withBean(Mail.class, () -> () -> "sent")
                .withPropertyValues("durable.activities.Mail.start-to-close=soon")
                .run(context -> assertThat(shown(context.getStartupFailure()).getDescription())
                        .contains("durable.activities.Mail.start-to-close")
                        .contains("\"soon\" is no duration. Write a whole number and its unit"));
    }

    @Test
    void values_that_the_engine_refuses_are_told_with_their_property() {
        refused(
                "durable.poll-interval=0",
                "durable.poll-interval = PT0S is refused: pollInterval must be at least PT0.01S");
        refused(
                "durable.session-lease=50ms",
                "durable.session-lease = PT0.05S is refused: sessionLease must be between");
        refused(
                "durable.drain-timeout=-1",
                "durable.drain-timeout = PT-1S is refused: a time to wait can't be negative.");
        refused(
                "durable.call-timeout=-1",
                "durable.call-timeout = PT-1S is refused: a time to wait can't be negative.");
        refused(
                "durable.cancel-grace=-1s",
                "durable.cancel-grace = PT-1S is refused: cancelGrace must not be negative");
        refused(
                "durable.queues.mail.slots=-1",
                "durable.queues.mail.slots = -1 is refused: a queue has at least 1 slot, or 0 where this process does not"
                        + " serve it.");
        refused(
                "durable.max-payload-size=3GB",
                "durable.max-payload-size = 3221225472B is refused: a payload has at least 1 byte and at most 2147483647.");
        refused(
                "durable.max-transactional-activities=0",
                "durable.max-transactional-activities = 0 is refused: maxTransactionalActivities must be at least 1");
        refused("durable.stall-on=java.lang.String", "durable.stall-on = [class java.lang.String] is refused: stallOn");
        refused(
                "durable.queues.default.slots=0",
                "durable.queues gives no task queue a slot, so this process would work on nothing.");
    }

    private void refused(String property, String description) {
        inMemory.withPropertyValues(property)
                .run(context -> assertThat(shown(context.getStartupFailure()).getDescription())
                        .startsWith(description));
    }

    @Test
    void a_schema_that_can_not_be_one_is_told_with_its_property() {
        onDataSource
                .withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/x", "durable.schema=9lives")
                .run(context -> {
                    FailureAnalysis shown = shown(context.getStartupFailure());
                    assertThat(shown.getDescription())
                            .startsWith("durable.schema = 9lives is refused: schema name must be 1 to 48 letters");
                    assertThat(shown.getAction())
                            .isEqualTo("Correct durable.schema in the application's configuration.");
                });
    }

    // ── workflows and activities ────────────────────────────────────────────────────────────────────────────────────

    @Test
    void two_workflows_of_one_name_are_told() {
        inMemory.withInitializer(context -> packageOf(context.getBeanFactory(), One.class))
                .run(context -> assertThat(shown(context.getStartupFailure()).getDescription())
                        .contains("dev.durable.spring.twice.One", "dev.durable.spring.twice.Other", "\"Same\""));
    }

    @Test
    void a_workflow_that_wants_a_bean_is_told_with_where_beans_belong() {
        inMemory.withInitializer(context -> packageOf(context.getBeanFactory(), GreedyWorkflow.class))
                .run(context -> assertThat(shown(context.getStartupFailure()).getDescription())
                        .contains("GreedyWorkflow", "JdbcTemplate", "@Activity"));
    }

    private static void packageOf(Object beans, Class<?> type) {
        AutoConfigurationPackages.register((BeanDefinitionRegistry) beans, type.getPackageName());
    }

    // ── the database ────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_url_for_which_there_is_no_driver_is_told() {
        onDataSource
                .withPropertyValues("spring.datasource.url=jdbc:nosuch://x")
                .run(context -> assertThat(shown(context.getStartupFailure()).getDescription())
                        .as("Boot's own")
                        .contains("Failed to determine a suitable driver class"));
        onDataSource
                .withBean(DataSource.class, () -> new DriverManagerDataSource("jdbc:nosuch://x"))
                .run(context -> {
                    FailureAnalysis shown = shown(context.getStartupFailure());
                    assertThat(shown.getDescription())
                            .isEqualTo("There is no JDBC driver for the URL of Durable's DataSource.");
                    assertThat(shown.getAction())
                            .isEqualTo(
                                    "Durable needs PostgreSQL: write spring.datasource.url as"
                                            + " jdbc:postgresql://host:port/database, and leave spring.datasource.driver-class-name out.");
                });
    }

    @Test
    void a_login_that_is_refused_and_a_database_that_does_not_exist_are_told_and_not_waited_for() {
        try (TestDatabase database = TestDatabase.migrated()) {
            onDataSource
                    .withPropertyValues(
                            "spring.datasource.url=" + database.jdbcUrl(),
                            "spring.datasource.username=nobody_here",
                            "spring.datasource.password=wrong")
                    .run(context -> {
                        FailureAnalysis shown = shown(context.getStartupFailure());
                        assertThat(shown.getDescription())
                                .startsWith("The database refused the login of Durable's DataSource: FATAL:")
                                .contains("nobody_here");
                        assertThat(shown.getAction())
                                .startsWith("Correct spring.datasource.username and spring.datasource.password");
                    });
            onDataSource
                    .withPropertyValues(
                            "spring.datasource.url=" + database.jdbcUrl().replace(database.name(), "not_there"),
                            "spring.datasource.username=" + database.username(),
                            "spring.datasource.password=" + database.password())
                    .run(context -> {
                        FailureAnalysis shown = shown(context.getStartupFailure());
                        assertThat(shown.getDescription())
                                .isEqualTo(
                                        "The database that Durable's DataSource names does not exist: FATAL: database"
                                                + " \"not_there\" does not exist.");
                        assertThat(shown.getAction()).isEqualTo("Create it, or correct spring.datasource.url.");
                    });
        }
    }

    @Test
    void a_schema_of_a_newer_release_is_told() {
        try (TestDatabase database = TestDatabase.migrated()) {
            new JdbcTemplate(database.dataSource())
                    .update("update durable.schema_version set version = version + 100, min_library = '99.0'");
            onDataSource
                    .withBean(DataSource.class, database::dataSource)
                    .run(context -> assertThat(
                                    shown(context.getStartupFailure()).getDescription())
                            .contains("which needs Durable 99.0 or newer")
                            .contains("Upgrade the library here, or point it at another schema."));
        }
    }

    /** The finding was a text of Flyway's, for a Flyway that is not the user's. */
    @Test
    void the_schema_of_the_application_itself_may_be_durables() {
        try (TestDatabase database = TestDatabase.create()) {
            new JdbcTemplate(database.dataSource()).execute("create table public.mine (id int)");
            onDataSource
                    .withBean(DataSource.class, () -> database.pooledDataSource(8))
                    .withPropertyValues("durable.schema=public")
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }

    @Test
    void a_routing_data_source_without_a_default_is_told() {
        onDataSource.withBean(DataSource.class, RoutingWithoutDefault::new).run(context -> {
            FailureAnalysis shown = shown(context.getStartupFailure());
            assertThat(shown.getDescription())
                    .isEqualTo("Durable keeps its histories in one database, and its DataSource, a "
                            + RoutingWithoutDefault.class.getName()
                            + ", routes to several by a key and has no default target.");
            assertThat(shown.getAction())
                    .isEqualTo(
                            "Give it a default target (setDefaultTargetDataSource), or mark another DataSource bean as"
                                    + " @DurableDataSource.");
        });
    }

    /** As Boot does: the first analyzer that knows the failure. */
    private static FailureAnalysis shown(Throwable failure) {
        assertThat(failure).isNotNull();
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        ArgumentResolver.of(BeanFactory.class, new DefaultListableBeanFactory())
                                .and(Environment.class, new StandardEnvironment()),
                        // Those whose technology is not there.
                        FailureHandler.handleMessage((message, e) -> {}));
        return analyzers.stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no analyzer knows it", failure));
    }

    private static final class RoutingWithoutDefault extends AbstractRoutingDataSource {
        RoutingWithoutDefault() {
            setTargetDataSources(Map.of());
        }

        @Override
        protected Object determineCurrentLookupKey() {
            return null;
        }
    }
}
