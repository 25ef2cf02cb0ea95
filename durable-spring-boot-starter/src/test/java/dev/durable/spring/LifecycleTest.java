package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.durable.StoreUnavailableException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.StartOptions;
import dev.durable.spring.actuate.DurableHealthConfiguration;
import dev.durable.spring.post.Mail;
import dev.durable.spring.post.MailWorkflow;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** How the engine begins, pauses and ends with its application context. */
@Timeout(90)
@Tag("slow")
class LifecycleTest {
    private final Set<Thread> others = Set.copyOf(Thread.getAllStackTraces().keySet());

    private static final Duration SOON = Duration.ofSeconds(30);

    /** WebServerApplicationContext has them. */
    private static final int DRAIN_PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    private static final int SERVER_PHASE = DRAIN_PHASE - 1024;

    private static TestDatabase database;

    private final ApplicationContextRunner withoutDatabase =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DurableAutoConfiguration.class));
    private final ApplicationContextRunner bare =
            withoutDatabase.withBean("dataSource", DataSource.class, () -> database.pooledDataSource(12));
    private final ApplicationContextRunner application = bare.withUserConfiguration(Posting.class);

    @BeforeAll
    static void create() {
        database = TestDatabase.migrated();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    // ── begin ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void without_auto_startup_the_client_works_and_the_worker_begins_when_it_is_started() {
        application.withPropertyValues("durable.worker.auto-startup=false").run(context -> {
            var mail = context.getBean(DurableClient.class).start(MailWorkflow.class, "later", MailWorkflow::run);
            assertThat(sessions()).isZero();
            context.getBean(DurableLifecycle.class).start();
            assertThat(mail.result(SOON)).isEqualTo("sent");
        });
    }

    @Test
    void the_worker_begins_before_the_web_server_and_claims_end_before_it_drains() {
        application.run(context -> {
            int worker = context.getBean(DurableLifecycle.class).getPhase();
            int claims =
                    context.getBean("durableClaimsEnd", SmartLifecycle.class).getPhase();
            assertThat(worker).as("before the server begins").isLessThan(SERVER_PHASE);
            assertThat(claims).as("before it drains").isGreaterThan(DRAIN_PHASE);
        });
    }

    @Test
    void while_the_web_server_drains_other_processes_get_the_work_and_what_is_begun_here_is_done_here() {
        application.run(context -> {
            DurableClient client = context.getBean(DurableClient.class);
            context.getBean("durableClaimsEnd", SmartLifecycle.class).stop();
            assertThat(client.start(MailWorkflow.class, "own", MailWorkflow::run)
                            .result(SOON))
                    .isEqualTo("sent");

            var job =
                    client.enqueue(Mail.class, StartOptions.id("of-all").startDelay(Duration.ofMillis(50)), Mail::send);
            bare.withBean(Mail.class, () -> () -> "sent by another")
                    .run(other -> assertThat(job.resultAs(String.class, SOON)).isEqualTo("sent by another"));
        });
    }

    // ── pause, stop, restart ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_paused_context_does_no_work_and_leaves_nothing_and_goes_on_with_the_same_client() {
        application.run(context -> {
            DurableClient client = context.getBean(DurableClient.class);
            var source = context.getSourceApplicationContext();
            assertThat(client.start(MailWorkflow.class, "before", MailWorkflow::run)
                            .result(SOON))
                    .isEqualTo("sent");
            source.pause();
            assertThat(sessions()).isZero();
            assertThat(threads()).isEmpty();
            assertThat(context.getBean(DurableEngine.class).healthy()).isFalse();
            source.restart();
            assertThat(client.start(MailWorkflow.class, "after", MailWorkflow::run)
                            .result(SOON))
                    .isEqualTo("sent");
            assertThat(context.getBean(DurableEngine.class).healthy()).isTrue();
        });
    }

    /** As Boot does it around a checkpoint. */
    @Test
    void a_context_that_is_stopped_and_started_works_and_a_call_between_them_is_served_without_working() {
        application.run(context -> {
            DurableClient client = context.getBean(DurableClient.class);
            var source = context.getSourceApplicationContext();
            source.stop();
            var mail = client.start(MailWorkflow.class, "between", MailWorkflow::run);
            assertThat(sessions()).isZero();
            source.start();
            assertThat(mail.result(SOON)).isEqualTo("sent");
        });
        assertThat(threads()).isEmpty();
        assertThat(sessions()).isZero();
    }

    // ── end ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_start_that_fails_late_leaves_neither_threads_nor_a_session() {
        application
                .withBean(FailingStart.class)
                .run(context -> assertThat(context).getFailure().hasRootCauseMessage("port in use"));
        assertThat(threads()).isEmpty();
        assertThat(sessions()).isZero();
    }

    /** As DevTools does it: the application's classes are new ones each time. */
    @Test
    void a_restart_in_a_new_class_loader_leaves_no_lease_and_works() throws Exception {
        for (int restart = 0; restart < 2; restart++) {
            RestartedClasses classes = new RestartedClasses();
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(classes);
            try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
                context.setClassLoader(classes);
                context.registerBean("dataSource", DataSource.class, () -> database.pooledDataSource(12));
                context.register(classes.loadClass(Restarted.class.getName()), DurableAutoConfiguration.class);
                context.refresh();
                Object said = context.getBean("sendsAtOnce");
                assertThat(said).isEqualTo("sent by restarted class");
                assertThat(sessions()).isOne();
            } finally {
                thread.setContextClassLoader(before);
            }
            assertThat(sessions()).isZero();
            assertThat(threads()).isEmpty();
        }
    }

    // ── without the database ────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void an_application_starts_without_its_database_and_recovers_by_itself() {
        try (Logged log = new Logged()) {
            Switched switched = new Switched(database.pooledDataSource(12));
            withoutDatabase
                    .withConfiguration(AutoConfigurations.of(DurableHealthConfiguration.class))
                    .withBean("dataSource", DataSource.class, () -> switched)
                    .withUserConfiguration(Posting.class)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        DurableEngine engine = context.getBean(DurableEngine.class);
                        assertThat(engine.healthy()).isFalse();
                        HealthIndicator health = context.getBean("durableHealthIndicator", HealthIndicator.class);
                        assertThat(health.health().getDetails())
                                .as("what is known")
                                .containsOnlyKeys("reason");
                        assertThat(engine.problems())
                                .singleElement()
                                .asString()
                                .startsWith(
                                        "Durable's store has not been open since this application began, nothing was"
                                                + " done: the database at ")
                                .contains("can't be reached: the switch is off");
                        assertThatThrownBy(() -> engine.client().start(MailWorkflow.class, "away", MailWorkflow::run))
                                .isInstanceOf(StoreUnavailableException.class)
                                .hasMessageContaining("the switch is off");
                        assertThat(log.of(Level.WARN))
                                .singleElement()
                                .asString()
                                .startsWith("Durable starts without its database. Until it is there health is down, and"
                                        + " workflows can neither be started nor are they worked on; it is tried again every"
                                        + " 5 s. durable.start-without-database=false lets the start fail instead.");

                        switched.on = true;
                        await().atMost(SOON).until(engine::healthy);
                        assertThat(health.health().getDetails())
                                .containsEntry("database", "answers")
                                .containsKeys("schemaVersion", "worker");
                        assertThat(engine.client()
                                        .start(MailWorkflow.class, "there", MailWorkflow::run)
                                        .result(SOON))
                                .isEqualTo("sent");
                        assertThat(log.of(Level.INFO)).contains("Durable's database is there");
                    });
            assertThat(threads()).isEmpty();
        }
    }

    @Test
    void a_client_only_application_is_down_while_its_database_is_away_and_up_again_by_itself() {
        Switched switched = new Switched(database.pooledDataSource(12));
        switched.on = true;
        withoutDatabase
                .withConfiguration(AutoConfigurations.of(DurableHealthConfiguration.class))
                .withBean("dataSource", DataSource.class, () -> switched)
                .withUserConfiguration(Posting.class)
                .withPropertyValues("durable.client-only=true")
                .run(context -> {
                    HealthIndicator health = context.getBean("durableHealthIndicator", HealthIndicator.class);
                    assertThat(health.health().getStatus()).isEqualTo(Status.UP);

                    switched.on = false;
                    await().atMost(SOON.multipliedBy(2))
                            .until(() -> health.health().getStatus().equals(Status.DOWN));
                    assertThat(String.valueOf(health.health().getDetails().get("reason")))
                            .matches("the database could not be used for \\d+ s: .*the switch is off.*");

                    switched.on = true;
                    await().atMost(SOON).until(() -> health.health().getStatus().equals(Status.UP));
                    assertThat(health.health().getDetails()).containsEntry("database", "answers");
                });
    }

    @Test
    void a_context_that_ends_while_it_waits_for_its_database_leaves_no_thread() {
        withoutDatabase
                .withBean("dataSource", DataSource.class, () -> new Switched(database.dataSource()))
                .run(context -> assertThat(threads()).containsExactly("durable-opening"));
        assertThat(threads()).isEmpty();
    }

    @Test
    void where_the_database_is_needed_at_the_start_the_start_fails() {
        withoutDatabase
                .withBean("dataSource", DataSource.class, () -> new Switched(database.dataSource()))
                .withPropertyValues("durable.start-without-database=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("can't be reached: the switch is off"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"openSession", "open openSession"})
    void a_database_that_goes_again_before_the_worker_has_begun_is_waited_for_again(String failing) {
        Set<String> left = ConcurrentHashMap.newKeySet();
        left.addAll(List.of(failing.split(" ")));
        withoutDatabase
                .withBean("store", HistoryStore.class, () -> failingOnce(new InMemoryHistoryStore(), left))
                .withUserConfiguration(Posting.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    await().atMost(SOON).until(context.getBean(DurableEngine.class)::healthy);
                    assertThat(left).isEmpty();
                    assertThat(context.getBean(DurableClient.class)
                                    .start(MailWorkflow.class, "flaps", MailWorkflow::run)
                                    .result(SOON))
                            .isEqualTo("sent");
                });
        assertThat(threads()).isEmpty();
    }

    /** Each of these methods finds no database when it is called first. */
    private static HistoryStore failingOnce(HistoryStore store, Set<String> methods) {
        return (HistoryStore) Proxy.newProxyInstance(
                HistoryStore.class.getClassLoader(),
                new Class<?>[] {HistoryStore.class},
                (proxy, method, arguments) -> {
                    if (methods.remove(method.getName())) {
                        throw new StoreUnavailableException("the database is away", new ConnectException("refused"));
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Long sessions() {
        return new JdbcTemplate(database.dataSource())
                .queryForObject("select count(*) from durable.session where not dead", Long.class);
    }

    /**
     * Of engines that a test has started, without the one that has sent what others are to hear, which ends by itself.
     * Contexts of other tests, which Spring keeps, go on meanwhile.
     */
    private Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && !others.contains(thread))
                .map(Thread::getName)
                .filter(name -> name.startsWith("durable") && !name.equals("durable-notify"))
                .collect(Collectors.toSet());
    }

    // ── what they declare ───────────────────────────────────────────────────────────────────────────────────────────

    @AutoConfigurationPackage(basePackageClasses = MailWorkflow.class)
    static class Posting {
        @Bean
        Mail mail() {
            return () -> "sent";
        }
    }

    /** Loaded anew at each restart, with the workflow and its activity. */
    @AutoConfigurationPackage(basePackageClasses = MailWorkflow.class)
    public static class Restarted {
        @Bean
        public Mail mail() {
            return () -> "sent by restarted class";
        }

        @Bean
        public SmartLifecycle sender(DurableClient client, DefaultListableBeanFactory beans) {
            return new SmartLifecycle() {
                @Override
                public void start() {
                    beans.registerSingleton(
                            "sendsAtOnce",
                            client.enqueue(Mail.class, Mail::send).resultAs(String.class, SOON));
                }

                @Override
                public void stop() {}

                @Override
                public boolean isRunning() {
                    return false;
                }
            };
        }
    }

    /** Child first for the application's classes, as the loader of DevTools. */
    private static final class RestartedClasses extends ClassLoader {
        RestartedClasses() {
            super(LifecycleTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean ofApplication = name.startsWith(Mail.class.getPackageName() + ".")
                    || name.startsWith(LifecycleTest.class.getName());
            if (!ofApplication) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }

    /** Fails after the worker has begun, as a web server does whose port is taken. */
    static class FailingStart implements SmartLifecycle {
        @Override
        public void start() {
            throw new IllegalStateException("port in use");
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    /** A database that can't be reached until it is switched on. */
    private static final class Switched extends DelegatingDataSource {
        private volatile boolean on;

        Switched(DataSource real) {
            super(real);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (!on) {
                throw new SQLException("the switch is off", "08001", new ConnectException("refused"));
            }
            return super.getConnection();
        }
    }
}
