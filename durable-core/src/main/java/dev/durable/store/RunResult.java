package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import org.jspecify.annotations.Nullable;

/**
 * The status, result and failure with which a run closed.
 *
 * @param status its state
 * @param result JSON text; null without
 * @param failure JSON text; null without
 */
public record RunResult(
        WorkflowStatus status,
        @Nullable String result,
        @Nullable String failure) {

    /** Returns the result in the run's row. */
    public static RunResult of(ClosedRun run) {
        return new RunResult(run.status(), run.result(), run.failure());
    }

    @Override
    public String toString() {
        return "RunResult[" + status + "]";
    }
}
