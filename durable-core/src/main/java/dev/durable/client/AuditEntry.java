package dev.durable.client;

import java.time.Instant;
import java.util.UUID;

/**
 * One row of the audit: what an operator did.
 *
 * @param id the row
 * @param at when, by the store's clock
 * @param actor the operator, as {@code by(…)} named them, else the process by its identity; the name is not checked
 * @param action what: {@code retry}, {@code pause queue}
 * @param target to what: {@code activity 3 of run … of workflow order-42}, a workflow id, a queue
 * @param details what else there is to say, a JSON object
 */
public record AuditEntry(UUID id, Instant at, String actor, String action, String target, String details) {
    @Override
    public String toString() {
        return "AuditEntry[" + at + ", " + actor + ", " + action + ", " + target + "]";
    }
}
