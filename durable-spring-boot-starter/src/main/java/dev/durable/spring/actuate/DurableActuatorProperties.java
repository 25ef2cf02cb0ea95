package dev.durable.spring.actuate;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings below {@code durable.actuator.*}.
 *
 * @param allowWrites Whether the endpoint durable retries, cancels, terminates and pauses; it only reads by default.
 */
@ConfigurationProperties("durable.actuator")
public record DurableActuatorProperties(
        @DefaultValue("false") boolean allowWrites) {}
