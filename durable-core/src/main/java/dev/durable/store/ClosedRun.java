package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import dev.durable.internal.text.Portion;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run, for clients that wait for it. It is read every few milliseconds while a client waits, so values
 * that are only shown belong into {@link RunRecord}, which listings read.
 *
 * @param runId the run's id
 * @param status its state, which is a closed one
 * @param result JSON text; null without
 * @param failure JSON text; null without
 * @param next the newest run of the chain, where another run continues this one; null where the chain has ended
 */
public record ClosedRun(
        UUID runId,
        WorkflowStatus status,
        @Nullable String result,
        @Nullable String failure,
        @Nullable UUID next) {
    /** The largest size that a store may count for it in a {@linkplain Portion portion}. */
    public long atMost() {
        return Portion.atMost(result) + Portion.atMost(failure);
    }

    @Override
    public String toString() {
        return "ClosedRun[" + runId + ", " + status + "]";
    }
}
