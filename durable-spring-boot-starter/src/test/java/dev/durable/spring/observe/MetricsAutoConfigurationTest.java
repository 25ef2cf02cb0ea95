package dev.durable.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.micrometer.DurableMetrics;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** When meters are bound. */
class MetricsAutoConfigurationTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withInitializer(context -> AutoConfigurationPackages.register(
                    (BeanDefinitionRegistry) context.getBeanFactory(), "dev.durable.spring.observe"))
            .withConfiguration(
                    AutoConfigurations.of(DurableMetricsAutoConfiguration.class, DurableAutoConfiguration.class))
            .withBean(HistoryStore.class, InMemoryHistoryStore::new);

    @Test
    void with_a_registry_the_engine_is_measured() {
        runner.withBean(MeterRegistry.class, () -> registry).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(DurableMetrics.class);
            assertThat(context.getBean(DurableEngine.class).healthy()).isTrue();
            assertThat(context.getBean(DurableClient.class)).isNotNull();
            assertThat(registry.get("durable.worker.healthy").gauge().value()).isEqualTo(1);
        });
    }

    @Test
    void one_property_switches_it_off() {
        runner.withBean(MeterRegistry.class, () -> registry)
                .withPropertyValues("durable.metrics.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(DurableMetrics.class);
                    assertThat(registry.getMeters()).isEmpty();
                });
    }

    @Test
    void without_a_registry_or_the_module_there_are_no_meters() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DurableMetrics.class));
        runner.withBean(MeterRegistry.class, () -> registry)
                .withClassLoader(new FilteredClassLoader(DurableMetrics.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DurableMetrics.class));
    }

    @Test
    void meters_of_the_applications_own_are_taken() {
        runner.withBean(MeterRegistry.class, () -> registry)
                .withBean("own", DurableMetrics.class, () -> DurableMetrics.of(registry))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(DurableMetrics.class));
    }
}
