package dev.durable.spring.event;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings below {@code durable.events.*}.
 *
 * @param enabled Whether this process's engine publishes application events that a bean listens to.
 * @param alerts Whether this process publishes alerts of dead letters and incidents, as an event; one process publishes
 *     each.
 * @param inTransaction Whether each event is published in a transaction of its own, which transactional listeners need.
 */
@ConfigurationProperties("durable.events")
public record DurableEventsProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean alerts,
        @DefaultValue("true") boolean inTransaction) {}
