package dev.durable.internal.run;

import dev.durable.CancelledException;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowTerminated;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Builds the part of a transition that closes a run (status and result of the run's row) or stalls it, and transitions
 * that append no event.
 */
final class RunClosings {
    private static final int MAX_REASON = 16_000;

    private RunClosings() {}

    /** Returns the close that goes with a closing event. */
    static Transition.Close of(HistoryEvent.Closing event, boolean force, FailureCodec failures) {
        return switch (event) {
            case WorkflowCompleted done ->
                new Transition.Close(WorkflowStatus.COMPLETED, done.result().json(), null, force);
            case WorkflowFailed failed ->
                new Transition.Close(
                        WorkflowStatus.FAILED,
                        null,
                        failures.toJson(failed.failure()).json(),
                        force);
            case WorkflowCancelled cancelled ->
                new Transition.Close(
                        WorkflowStatus.CANCELLED,
                        null,
                        failures.toJson(Failure.of(CancelledException.class.getName(), text(cancelled)))
                                .json(),
                        force);
            case WorkflowTimedOut ignored -> throw new IllegalArgumentException("a run is timed out by seizing it");
            case WorkflowContinuedAsNew ignored ->
                throw new IllegalArgumentException("a run that continues as new is no end of a chain");
            case WorkflowTerminated ignored -> throw new IllegalArgumentException("a run is terminated by seizing it");
        };
    }

    /** Returns the text that names the reason of the cancellation and its sender; both may be empty. */
    private static String text(WorkflowCancelled cancelled) {
        String by = cancelled.by().isEmpty() ? "" : " by " + cancelled.by();
        return "cancelled" + by + (cancelled.reason().isEmpty() ? "" : ": " + cancelled.reason());
    }

    /**
     * Returns the reason why a run can't go on, with the time after which it is tried again.
     *
     * @param reason the reason, fit to be recorded
     * @param before how often in a row the run has stalled before
     */
    static Transition.Stall stall(String reason, int before) {
        String stored = Bounds.cut(reason.replace('\0', ' '), MAX_REASON);
        return new Transition.Stall(stored, Duration.ofSeconds(Math.min(60, 1L << Math.min(before, 6))));
    }

    /** Returns a transition that gives the run back without an event: due at the given time, or stalled. */
    static Transition nothing(
            RunKey run,
            UUID fence,
            UUID newFence,
            long nextEventId,
            @Nullable Instant wakeAt,
            Transition.@Nullable Stall stall) {
        return new Transition(
                run,
                new Transition.Fences(fence, newFence),
                nextEventId,
                List.of(),
                List.of(),
                Transition.JobChanges.NONE,
                true,
                wakeAt,
                stall,
                null);
    }
}
