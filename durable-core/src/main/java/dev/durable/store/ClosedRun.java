package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended, for those who wait for it. It is read every few milliseconds while somebody waits, so it has nothing that
 * is only shown: that belongs into {@link RunRecord}, which listings read.
 *
 * @param runId which run
 * @param status its state, which is a closed one
 * @param result JSON text; null without
 * @param failure JSON text; null without
 */
public record ClosedRun(
        UUID runId,
        WorkflowStatus status,
        @Nullable String result,
        @Nullable String failure) {
    /** What a store may count it for in a {@linkplain Portion portion}, at most. */
    public long atMost() {
        return Portion.atMost(result) + Portion.atMost(failure);
    }

    @Override
    public String toString() {
        return "ClosedRun[" + runId + ", " + status + "]";
    }
}
