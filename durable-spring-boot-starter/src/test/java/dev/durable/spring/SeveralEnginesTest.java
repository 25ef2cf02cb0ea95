package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.micrometer.DurableMetrics;
import dev.durable.observe.EngineObserver;
import dev.durable.spring.event.DurableEventsAutoConfiguration;
import dev.durable.spring.event.WorkflowCompletedEvent;
import dev.durable.spring.observe.DurableMetricsAutoConfiguration;
import dev.durable.spring.post.Mail;
import dev.durable.spring.post.MailWorkflow;
import dev.durable.store.postgres.testing.TestDatabase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.RandomValuePropertySource;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications with several engines on one database: schemas as tenants, and contexts that share a server. */
@Timeout(90)
@Tag("slow")
class SeveralEnginesTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private static TestDatabase database;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceTransactionManagerAutoConfiguration.class, DurableAutoConfiguration.class))
            .withBean(DataSource.class, () -> database.pooledDataSource(12))
            .withUserConfiguration(Posting.class);

    @BeforeAll
    static void create() {
        database = TestDatabase.migrated();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @Test
    void a_tenant_has_its_own_schema_beside_that_of_the_application() {
        application.withUserConfiguration(Tenant.class).run(context -> {
            DurableClient own = context.getBean(DurableClient.class);
            DurableClient acme = context.getBean("acme", DurableEngine.class).client();
            assertThat(send(acme, "m-1")).isEqualTo("sent");
            assertThat(send(own, "m-2")).isEqualTo("sent");
            assertThat(ids("tenant_acme")).contains("m-1").doesNotContain("m-2");
            assertThat(ids("durable")).contains("m-2").doesNotContain("m-1");

            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                acme.start(MailWorkflow.class, "never", MailWorkflow::run);
                status.setRollbackOnly();
            });
            assertThatThrownBy(() -> acme.history("never")).isInstanceOf(WorkflowNotFoundException.class);

            context.getSourceApplicationContext().close();
            assertThat(sessions("tenant_acme")).isZero();
            assertThat(sessions("durable")).isZero();
        });
    }

    @Test
    void events_name_the_schema_of_their_engine() {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        application
                .withConfiguration(AutoConfigurations.of(DurableEventsAutoConfiguration.class))
                .withUserConfiguration(Tenant.class)
                .withBean(Heard.class, () -> new Heard(heard))
                .run(context -> {
                    send(context.getBean("acme", DurableEngine.class).client(), "m-7");
                    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("tenant_acme m-7");
                    send(context.getBean(DurableClient.class), "m-7");
                    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo("durable m-7");
                });
    }

    record Heard(BlockingQueue<String> events) {
        @EventListener
        void completed(WorkflowCompletedEvent event) {
            events.add(event.schema() + " " + event.workflowId());
        }
    }

    @Test
    void meters_are_those_of_the_engine_that_is_injected_and_a_tenant_may_have_others() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(EngineObserver.class);
        lines.start();
        logger.addAppender(lines);
        try {
            measured(registry);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).as("of the tenant's engine").isEmpty();
        assertThat(starts(registry, "main")).isEqualTo(2);
        assertThat(starts(registry, "acme")).isEqualTo(2);
    }

    private void measured(SimpleMeterRegistry registry) {
        application
                .withConfiguration(AutoConfigurations.of(DurableMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> registry)
                .withUserConfiguration(Measured.class)
                .run(context -> {
                    send(context.getBean(DurableClient.class), "m-3");
                    send(context.getBean("acme", DurableEngine.class).client(), "m-4");
                    send(context.getBean("acme", DurableEngine.class).client(), "m-5");
                    context.getSourceApplicationContext().stop();
                    context.getSourceApplicationContext().start();
                    send(context.getBean(DurableClient.class), "m-6");
                });
    }

    private static double starts(MeterRegistry registry, String schema) {
        return registry.find("durable.workflow.starts").tag("schema", schema).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void engines_of_ones_own_replace_that_of_the_starter_and_the_primary_ones_client_is_injected() {
        application.withUserConfiguration(Tenants.class).run(context -> {
            assertThat(context.getBeansOfType(DurableEngine.class)).containsOnlyKeys("one", "two");
            assertThat(send(context.getBean(DurableClient.class), "m-1")).isEqualTo("sent");
            assertThat(ids("tenant_one")).containsExactly("m-1");
        });
    }

    @Test
    void contexts_with_a_random_schema_do_not_take_each_others_work() {
        ApplicationContextRunner isolated = application
                // As Boot does.
                .withInitializer(context -> RandomValuePropertySource.addToEnvironment(context.getEnvironment()))
                .withPropertyValues("durable.schema=test_${random.uuid}");
        isolated.run(one -> isolated.run(other -> {
            for (int i = 0; i < 10; i++) {
                send(one.getBean(DurableClient.class), "m-" + i);
            }
            assertThat(other.getBean(DurableClient.class).workflows().page(10)).isEmpty();
        }));
    }

    private static String send(DurableClient client, String id) {
        return client.start(MailWorkflow.class, id, MailWorkflow::run).result(SOON);
    }

    private static List<String> ids(String schema) {
        return new JdbcTemplate(database.dataSource())
                .queryForList("select workflow_id from " + schema + ".v_workflow", String.class);
    }

    private static Long sessions(String schema) {
        return new JdbcTemplate(database.dataSource())
                .queryForObject("select count(*) from " + schema + ".session", Long.class);
    }

    @AutoConfigurationPackage(basePackageClasses = MailWorkflow.class)
    static class Posting {
        @Bean
        Mail mail() {
            return () -> "sent";
        }
    }

    static class Tenant {
        // docs: spring-tenants
        @Bean(defaultCandidate = false)
        @Qualifier("acme")
        DurableEngine acme(DurableEngineFactory engines) {
            return engines.onSchema("tenant_acme");
        }
        // docs: end
    }

    static class Measured {
        @Bean(defaultCandidate = false)
        @Qualifier("acme")
        DurableEngine acme(DurableEngineFactory engines, MeterRegistry registry) {
            DurableMetrics own = DurableMetrics.of(registry, Tags.of("schema", "acme"));
            return engines.onSchema("tenant_measured", builder -> builder.observe(own));
        }

        @Bean
        DurableMetrics metrics(MeterRegistry registry) {
            return DurableMetrics.of(registry, Tags.of("schema", "main"));
        }
    }

    static class Tenants {
        @Bean
        @Primary
        DurableEngine one(DurableEngineFactory engines) {
            return engines.onSchema("tenant_one");
        }

        @Bean
        DurableEngine two(DurableEngineFactory engines) {
            return engines.onSchema("tenant_two", builder -> builder.identity("two"));
        }
    }
}
