package dev.durable.spring.observe;

import dev.durable.micrometer.DurableMetrics;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.spring.DurableCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Where the application has {@code durable-micrometer} and a registry of meters: the engine's work is measured. */
@AutoConfiguration(
        before = DurableAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, DurableMetrics.class})
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnProperty(name = "durable.metrics.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(DurableMetricsProperties.class)
public class DurableMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DurableMetrics durableMetrics(MeterRegistry registry) {
        return DurableMetrics.of(registry);
    }

    /** Of the engine that is injected, which is the first; engines on other schemas have meters of their own, or none. */
    @Bean
    DurableCustomizer durableMetricsCustomizer(DurableMetrics metrics) {
        DurableMetrics first = metrics.ofFirstEngine();
        return builder -> builder.observe(first);
    }
}
