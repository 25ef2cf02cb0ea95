package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The status, result and failure with which a run closed.
 *
 * @param status its state
 * @param result JSON text; null without
 * @param failure JSON text; null without
 * @param next a later run of the chain, where another run continues this one; null where the chain has ended
 */
public record RunResult(
        WorkflowStatus status,
        @Nullable String result,
        @Nullable String failure,
        @Nullable UUID next) {

    /** The end of a run that no other continues. */
    public RunResult(WorkflowStatus status, @Nullable String result, @Nullable String failure) {
        this(status, result, failure, null);
    }

    /** Returns the result in the run's row. */
    public static RunResult of(ClosedRun run) {
        return new RunResult(run.status(), run.result(), run.failure(), run.next());
    }

    @Override
    public String toString() {
        return "RunResult[" + status + "]";
    }
}
