package dev.durable.spring.event;

import dev.durable.client.Alert;

/**
 * Activities became dead letters or incidents: published by one process for all, at most once an hour for those that
 * failed alike. Only where {@code durable.events.alerts} is true.
 *
 * @param alert what they have in common, and how many there are
 * @param schema the schema of the tables of the engine that publishes it; empty in memory
 */
public record AlertEvent(Alert alert, String schema) {}
