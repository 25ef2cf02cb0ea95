package dev.durable.spring.actuate;

import dev.durable.client.DurableEngine;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.store.HistoryStore;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Health {@code durable} where the application has Actuator, as part of readiness. After the groups of the probes. */
@AutoConfiguration(
        after = DurableAutoConfiguration.class,
        afterName =
                "org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration")
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnSingleCandidate(DurableEngine.class)
@ConditionalOnBean(HistoryStore.class)
@ConditionalOnEnabledHealthIndicator("durable")
public class DurableHealthConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "durableHealthIndicator")
    HealthIndicator durableHealthIndicator(DurableEngine engine, HistoryStore store) {
        return new DurableHealthIndicator(engine, store);
    }

    /** Apart, so that health without its endpoint needs no class of Actuator. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthEndpointGroups.class)
    static class Groups {
        /** Static, as groups are processed while other beans are made. */
        @Bean
        static HealthEndpointGroupsPostProcessor durableReadiness(Environment environment) {
            return new ReadinessMembership(environment);
        }
    }
}
