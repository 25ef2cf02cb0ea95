package dev.durable.spring.observe;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings below {@code durable.metrics.*}.
 *
 * @param enabled Whether the engine's work is measured where there is a MeterRegistry.
 */
@ConfigurationProperties("durable.metrics")
public record DurableMetricsProperties(@DefaultValue("true") boolean enabled) {}
