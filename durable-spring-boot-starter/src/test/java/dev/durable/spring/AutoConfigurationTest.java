package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.ForeignInstallationException;
import dev.durable.RegistrationException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.ActivityScheduled;
import dev.durable.spring.actuate.DurableHealthConfiguration;
import dev.durable.spring.app.GreetingWorkflow;
import dev.durable.spring.app.Greetings;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.PropertyNamingStrategies;

/** The starter as an application sees it: properties, beans that are there or missing, and the end. */
@Timeout(90)
@Tag("slow")
class AutoConfigurationTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private final TestDatabase database = TestDatabase.create();
    private final ApplicationContextRunner empty = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DurableAutoConfiguration.class,
                    HealthContributorAutoConfiguration.class,
                    DurableHealthConfiguration.class))
            .withInitializer(context -> AutoConfigurationPackages.register(
                    (BeanDefinitionRegistry) context.getBeanFactory(), GreetingWorkflow.class.getPackageName()));
    private final ApplicationContextRunner application = empty.withBean(
                    "dataSource", DataSource.class, () -> database.pooledDataSource(12), bean -> bean.setPrimary(true))
            .withBean("greetings", Greetings.class, () -> name -> "hello " + name);

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void options_of_activities_come_from_configuration() {
        application
                .withPropertyValues(
                        "durable.activities.Greetings.start-to-close=7s",
                        "durable.activities.Greetings.retry.max-attempts=9",
                        "durable.activities.Greetings.methods.greet.retry.initial-interval=3s",
                        "durable.activities.Greetings.headers.team=front-desk")
                .run(context -> {
                    var greeting = greet(context.getBean(DurableClient.class), "g-1");
                    assertThat(greeting.result(SOON)).isEqualTo("hello ann");
                    var options = greeting.history()
                            .events(ActivityScheduled.class)
                            .findFirst()
                            .orElseThrow()
                            .options();
                    assertThat(options.startToClose()).isEqualTo(Duration.ofSeconds(7));
                    assertThat(options.retry().maxAttempts()).isEqualTo(9);
                    assertThat(options.retry().initialInterval()).isEqualTo(Duration.ofSeconds(3));
                    assertThat(options.headers()).containsEntry("team", "front-desk");
                });
    }

    @Test
    void an_option_that_nothing_answers_to_is_refused_with_its_whole_key() {
        application
                .withPropertyValues("durable.activities.Greetings.start-to-clsoe=7s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(RegistrationException.class)
                        .hasMessageContaining("durable.activities.Greetings.start-to-clsoe"));
    }

    @Test
    void other_keys_of_the_environment_are_none_of_our_business() {
        application
                .withSystemProperties(
                        "durable.test.postgres=embedded", "DURABLE_JDBC_URL=jdbc:postgresql://elsewhere/x")
                .withPropertyValues(
                        "activities.Greetings.start-to-close=1s",
                        "durables.activities.Nobody.retry=1",
                        "my.durable.activities.Greetings.start-to-close=never")
                .run(context -> assertThat(greet(context.getBean(DurableClient.class), "g-1")
                                .result(SOON))
                        .isEqualTo("hello ann"));
    }

    @Test
    void the_schema_is_migrated_where_and_by_whom_configuration_says() {
        application
                .withPropertyValues(
                        "durable.migration-url=jdbc:postgresql://127.0.0.1:1/nowhere",
                        "durable.start-without-database=false")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("127.0.0.1:1"));
        application
                .withPropertyValues("durable.migration-username=ann")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageStartingWith("durable.migration-username is set, and durable.migration-url is not"));
        application
                .withPropertyValues(
                        "durable.migration-url=" + database.jdbcUrl(),
                        "durable.migration-username=" + database.username(),
                        "durable.migration-password=" + database.password())
                .run(context -> assertThat(greet(context.getBean(DurableClient.class), "g-1")
                                .result(SOON))
                        .isEqualTo("hello ann"));
    }

    /** The driver writes a URL that it can't parse into its log, and takes a password before an @ for a host. */
    @Test
    void
            a_migration_url_that_is_none_of_the_driver_is_refused_before_the_driver_sees_it_and_shown_without_its_password() {
        for (String url : List.of(
                "jdbc:postgresql://owner:s3cr3t@127.0.0.1:1/orders",
                "postgres://owner:s3cr3t@127.0.0.1:1/orders",
                "jdbc:mysql://127.0.0.1:1/orders?password=s3cr3t")) {
            application
                    .withPropertyValues("durable.migration-url=" + url)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .satisfies(failure -> assertThat(failure)
                                    .hasStackTraceContaining("durable.migration-url is wrong: \"")
                                    .hasStackTraceContaining(
                                            "is no URL of PostgreSQL's JDBC driver. Write jdbc:postgresql://host:port/database,"
                                                    + " and user and password beside it, as properties of their own. Those are"
                                                    + " durable.migration-username and durable.migration-password.")
                                    .satisfies(shown -> assertThat(stack(shown)).doesNotContain("s3cr3t"))));
        }
    }

    private static String stack(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void properties_reach_engine_and_store() {
        application
                .withPropertyValues(
                        "durable.schema=shop_flows",
                        "durable.identity=till-3",
                        "durable.max-payload-size=64B",
                        "durable.max-transactional-activities=2",
                        "durable.stall-on=java.lang.RuntimeException,java.io.IOException",
                        "durable.queues.default.slots=2",
                        "durable.queues.default.virtual-threads=true")
                .run(context -> {
                    DurableClient client = context.getBean(DurableClient.class);
                    assertThat(greet(client, "g-1").result(SOON)).isEqualTo("hello ann");
                    assertThat(rows("select identity from shop_flows.session")).containsExactly("till-3");
                    String tooLong = "x".repeat(65);
                    assertThatThrownBy(() -> client.start(GreetingWorkflow.class, "g-2", w -> w.run(tooLong)))
                            .hasMessageContaining("the limit is 64");
                });
    }

    @Test
    void what_runs_stall_on_must_be_exceptions() {
        application
                .withPropertyValues("durable.stall-on=java.lang.String")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessage(
                                "durable.stall-on = [class java.lang.String] is refused: stallOn (durable.stall-on) takes"
                                        + " exceptions, such as java.lang.RuntimeException, and java.lang.String is none."
                                        + " Correct durable.stall-on in the application's configuration."));
    }

    @Test
    void a_client_only_starts_workflows_and_works_on_none() {
        application.withPropertyValues("durable.client-only=true").run(clientOnly -> {
            var greeting = greet(clientOnly.getBean(DurableClient.class), "g-1");
            assertThat(rows("select identity from durable.session")).isEmpty();
            assertThat(greeting.describe().historyLength()).isOne();

            application.run(worker -> assertThat(greeting.result(SOON)).isEqualTo("hello ann"));
        });
    }

    @Test
    void without_a_data_source_the_start_fails_and_says_what_to_add() {
        empty.run(context -> {
            assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith(
                            "Durable keeps its histories in the application's DataSource, and there is no"
                                    + " DataSource bean. Add spring-boot-starter-jdbc");
            var analysis = new DurableFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription())
                    .isEqualTo("Durable keeps its histories in the application's DataSource, and there is no DataSource"
                            + " bean.");
            assertThat(analysis.getAction())
                    .isEqualTo("Add spring-boot-starter-jdbc and PostgreSQL's driver and set spring.datasource.url,"
                            + " declare a DataSource bean or a HistoryStore bean, or set durable.enabled=false.");
        });
    }

    @Test
    void of_several_data_sources_one_must_be_primary() {
        empty.withBean("one", DataSource.class, database::dataSource)
                .withBean("two", DataSource.class, database::dataSource)
                .run(context -> {
                    assertThat(context).getFailure().rootCause().hasMessageContaining("there are 2 DataSource beans");
                    assertThat(new DurableFailureAnalyzer()
                                    .analyze(context.getStartupFailure())
                                    .getAction())
                            .isEqualTo(
                                    "Mark the one that Durable is to use as @DurableDataSource, or as @Primary if it is"
                                            + " the one that all others use, too.");
                });
        application
                .withBean("another", DataSource.class, database::dataSource)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(DurableEngine.class));
    }

    @Test
    void switched_off_there_is_nothing_and_nothing_is_needed() {
        empty.withPropertyValues("durable.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DurableClient.class));
    }

    @Test
    void a_customizer_has_the_last_word() {
        application
                .withBean(
                        DurableCustomizer.class,
                        () -> builder -> builder.identity("customized")
                                .jsonMapper(
                                        json -> json.propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)))
                .withPropertyValues("durable.identity=from-properties")
                .run(context -> {
                    greet(context.getBean(DurableClient.class), "g-1").result(SOON);
                    assertThat(rows("select identity from durable.session")).containsExactly("customized");
                });
    }

    @Test
    void health_tells_whether_the_worker_makes_progress() {
        application.run(context -> {
            HealthIndicator health = context.getBean("durableHealthIndicator", HealthIndicator.class);
            assertThat(health.health().getStatus()).isEqualTo(Status.UP);
            assertThat(health.health().getDetails())
                    .containsKeys("upkeep.session", "upkeep.sweep", "upkeep.timeouts", "upkeep.relay")
                    .containsEntry("zombies", 0)
                    .containsEntry("stalledRuns", 0);
            context.getBean(DurableEngine.class).close();
            assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.health().getDetails()).containsEntry("reason", "the engine is closed");
        });
    }

    @Test
    void the_build_is_named_by_what_the_build_tool_has_packaged() {
        ApplicationContextRunner built = application
                .withBean(BuildProperties.class, () -> build("1.4.2", "1795774500000"))
                .withBean(GitProperties.class, () -> git("false"));
        assertBuild(built, "1.4.2-20261127101500");
        assertBuild(built.withPropertyValues("durable.build=mine"), "mine");
        assertBuild(application.withBean(BuildProperties.class, () -> build("1.4.2", null)), "1.4.2");
        assertBuild(
                application
                        .withBean(BuildProperties.class, () -> build("1.4.2-SNAPSHOT", null))
                        .withBean(GitProperties.class, () -> git("false")),
                "a1b2c3d");
        assertBuild(application.withBean(GitProperties.class, () -> git("true")), null);
        assertBuild(application, null);
    }

    private void assertBuild(ApplicationContextRunner runner, @Nullable String build) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(rows("select coalesce(build, 'none') from durable.session"))
                    .containsOnly(build == null ? "none" : build);
        });
    }

    private static BuildProperties build(String version, @Nullable String time) {
        Properties properties = new Properties();
        properties.setProperty("version", version);
        if (time != null) {
            properties.setProperty("time", time);
        }
        return new BuildProperties(properties);
    }

    private static GitProperties git(String dirty) {
        Properties properties = new Properties();
        properties.setProperty("commit.id", "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678");
        properties.setProperty("dirty", dirty);
        return new GitProperties(properties);
    }

    @Test
    void an_application_does_not_start_on_the_database_of_another_installation_and_a_client_of_it_reads() {
        application
                .withPropertyValues(
                        "durable.installation=prod", "durable.role-prefix=shop", "durable.build=2026-11-27.1")
                .run(context -> {
                    greet(context.getBean(DurableClient.class), "g-1").result(SOON);
                    assertThat(rows("select name from durable.installation")).containsExactly("prod");
                    assertThat(rows("select build from durable.session")).containsOnly("2026-11-27.1");
                    assertThat(rows("select rolname from pg_roles where rolname = 'shop_worker'"))
                            .hasSize(1);
                });
        application
                .withPropertyValues("durable.installation=staging")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(ForeignInstallationException.class)
                        .hasMessageContaining(
                                "belongs to installation \"prod\", and this process to installation \"staging\""));
        application
                .withPropertyValues("durable.installation=staging", "durable.client-only=true")
                .run(context -> {
                    DurableClient client = context.getBean(DurableClient.class);
                    assertThat(client.handle("g-1").resultAs(String.class)).isEqualTo("hello ann");
                    assertThat(context.getBean("durableHealthIndicator", HealthIndicator.class)
                                    .health()
                                    .getDetails()
                                    .get("reason"))
                            .asString()
                            .contains("belongs to installation \"prod\"");
                });
    }

    @Test
    void what_runs_at_the_stop_ends_and_is_recorded() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch let = new CountDownLatch(1);
        empty.withBean("dataSource", DataSource.class, () -> database.pooledDataSource(12))
                .withBean("greetings", Greetings.class, () -> name -> {
                    begun.countDown();
                    awaitLet(let);
                    return "goodbye " + name;
                })
                .run(context -> {
                    greet(context.getBean(DurableClient.class), "g-1");
                    begun.await();
                    SmartLifecycle lifecycle = context.getBean(DurableLifecycle.class);
                    var closing = CompletableFuture.runAsync(
                            () -> context.getSourceApplicationContext().close());
                    while (lifecycle.isRunning()) {
                        Thread.onSpinWait();
                    }
                    let.countDown();
                    closing.get(SOON.toSeconds(), TimeUnit.SECONDS);
                });
        assertThat(rows("select type from durable.history_event order by event_id"))
                .contains("ActivityCompleted");
    }

    private List<String> rows(String query) {
        return new JdbcTemplate(database.dataSource()).queryForList(query, String.class);
    }

    private static WorkflowHandle<GreetingWorkflow, String> greet(DurableClient client, String id) {
        return client.start(GreetingWorkflow.class, StartOptions.id(id), w -> w.run("ann"));
    }

    private static void awaitLet(CountDownLatch let) {
        try {
            let.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }
}
