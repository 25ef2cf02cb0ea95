package dev.durable.store;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A claimed job as the store has it under a session; the process compares it with its own list of claims.
 *
 * @param key the job
 * @param lease its lease token
 * @param cancelRequested whether the workflow wants it to stop
 * @param ordered the changes that orders have made since the claim; null is none
 */
public record HeldJob(
        JobKey key,
        UUID lease,
        boolean cancelRequested,
        @Nullable Ordered ordered) {

    /**
     * The changes that orders have made since the claim.
     *
     * @param revision the number of changes
     * @param deadline when the attempt times out; null is unchanged
     * @param options ActivityOptions as JSON text
     * @param scheduleToCloseDeadline the deadline by these options; null is none
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
