package dev.durable.spring;

import dev.durable.DurableEngine;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Where the application has Actuator: health {@code durable}, down while the worker makes no progress. */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(DurableEngine.class)
@ConditionalOnEnabledHealthIndicator("durable")
public class DurableHealthConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "durableHealthIndicator")
    HealthIndicator durableHealthIndicator(DurableEngine engine) {
        return () -> engine.healthy()
                ? Health.up().build()
                : Health.down()
                        .withDetail(
                                "reason",
                                "the loops made no progress: the database does not answer, or the engine is closed")
                        .build();
    }
}
