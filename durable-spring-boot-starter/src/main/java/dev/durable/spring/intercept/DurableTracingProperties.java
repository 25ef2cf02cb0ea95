package dev.durable.spring.intercept;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings below {@code durable.tracing.*}.
 *
 * @param enabled Whether starts, turns and activities are traced where there is a Tracer.
 * @param oneTraceFor How long after a start turns and activities are part of its trace; later ones begin traces of their own.
 */
@ConfigurationProperties("durable.tracing")
public record DurableTracingProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("1h") Duration oneTraceFor) {}
