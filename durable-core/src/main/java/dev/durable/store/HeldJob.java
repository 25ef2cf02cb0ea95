package dev.durable.store;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job that the store has under a session, as the process compares it with what it knows.
 *
 * @param key which job
 * @param lease its token
 * @param cancelRequested whether the workflow wants it to stop
 * @param ordered what orders have changed since the claim; null is nothing
 */
public record HeldJob(
        JobKey key,
        UUID lease,
        boolean cancelRequested,
        @Nullable Ordered ordered) {

    /**
     * What orders have changed.
     *
     * @param revision how many
     * @param deadline when the attempt times out; null as it was
     * @param options ActivityOptions as JSON text
     * @param scheduleToCloseDeadline by them
     * @param notes the informing events of these orders, a JSON array
     */
    public record Ordered(
            int revision,
            @Nullable Instant deadline,
            String options,
            @Nullable Instant scheduleToCloseDeadline,
            @Nullable String notes) {
        @Override
        public String toString() {
            return "Ordered[revision=" + revision + ", deadline=" + deadline + "]";
        }
    }

    @Override
    public String toString() {
        return "HeldJob[" + key + ", cancelRequested=" + cancelRequested + ", " + ordered + "]";
    }
}
