package dev.durable.spring.intercept;

import dev.durable.DurableException;
import dev.durable.micrometer.DurableLinkHandler;
import dev.durable.micrometer.DurableTracing;
import dev.durable.spring.DurableAutoConfiguration;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Makes starts, turns and activities spans of one trace, where the application has {@code durable-micrometer} and a tracer. */
@AutoConfiguration(
        before = {DurableAutoConfiguration.class, DurableInterceptAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
        })
@ConditionalOnClass({ObservationRegistry.class, Tracer.class, DurableTracing.class})
@ConditionalOnBean({ObservationRegistry.class, Tracer.class})
@ConditionalOnProperty(name = "durable.tracing.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(DurableTracingProperties.class)
public class DurableTracingAutoConfiguration {

    /** In front of Boot's own handler for receivers. */
    static final int BEFORE_RECEIVERS = 900;

    /** The outermost, so that what other interceptors refuse is seen. */
    @Bean
    @ConditionalOnMissingBean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    DurableTracing durableTracing(ObservationRegistry registry, DurableTracingProperties properties) {
        try {
            return DurableTracing.of(registry).oneTraceFor(properties.oneTraceFor());
        } catch (IllegalArgumentException e) {
            throw new DurableException("durable.tracing.one-trace-for is refused: " + e.getMessage(), e);
        }
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(Propagator.class)
    @Order(BEFORE_RECEIVERS)
    DurableLinkHandler durableLinkHandler(Tracer tracer, Propagator propagator) {
        return new DurableLinkHandler(tracer, propagator);
    }
}
