package dev.durable.spring.actuate;

import dev.durable.client.DurableEngine;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.store.HistoryStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The endpoint {@code /actuator/durable}, and what {@code /actuator/info} says. */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnClass({InfoContributor.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnSingleCandidate(DurableEngine.class)
@ConditionalOnBean(HistoryStore.class)
@EnableConfigurationProperties(DurableActuatorProperties.class)
public class DurableActuatorAutoConfiguration {

    @Bean
    @ConditionalOnEnabledInfoContributor("durable")
    @ConditionalOnMissingBean
    DurableInfoContributor durableInfoContributor(DurableEngine engine, HistoryStore store, Environment environment) {
        return new DurableInfoContributor(engine, store, environment);
    }

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    DurableEndpoint durableEndpoint(
            DurableEngine engine,
            HistoryStore store,
            DurableActuatorProperties properties,
            ObjectProvider<SanitizingFunction> sanitizing,
            ApplicationContext context) {
        DurableInfoContributor info = new DurableInfoContributor(engine, store, context.getEnvironment());
        return new DurableEndpoint(
                new Sections(
                        engine,
                        store,
                        info::details,
                        new ConfigSection(sanitizing.orderedStream().toList(), context)),
                properties.allowWrites() ? new Actions(engine.client()) : null,
                () -> engine.worker().identity());
    }
}
