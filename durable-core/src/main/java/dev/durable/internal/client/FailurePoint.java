package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowTerminated;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The event of a failed run's history behind which a retry goes on: the last one in front of the turn in which the
 * failure arose, or the last one of a run that ran out of its time. It is read from the history event by event.
 */
final class FailurePoint {
    /** So many of what the code did behind the failure are named. */
    private static final int NAMED = 3;

    private final RunKey run;
    private long lastTurn;
    private HistoryEvent.@Nullable Closing closing;
    /** The calls of activities, starts of children and sent messages of the code, in the order of their events. */
    private final List<Effect> effects = new ArrayList<>();

    private record Effect(long eventId, String what) {
        @Override
        public String toString() {
            return "Effect[" + eventId + "]";
        }
    }

    FailurePoint(RunKey run) {
        this.run = run;
    }

    void read(HistoryEvent event) {
        switch (event) {
            case HistoryEvent.ActivityClosed end -> {
                lastTurn = end.id();
                if (end.local() != null) {
                    effects.add(new Effect(end.id(), end.local().activity()));
                }
            }
            case HistoryEvent.Inbound inbound -> lastTurn = inbound.id();
            case HistoryEvent.Closing end -> closing = end;
            case ActivityScheduled call -> effects.add(new Effect(call.id(), call.activity()));
            case ChildStartRequested start ->
                effects.add(new Effect(start.id(), "child " + Bounds.quoted(start.workflowId())));
            case ExternalSignalRequested signal ->
                effects.add(new Effect(signal.id(), "signal to " + Bounds.quoted(signal.workflowId())));
            case ExternalCancelRequested cancel ->
                effects.add(new Effect(cancel.id(), "cancel of " + Bounds.quoted(cancel.workflowId())));
            case ChildSignalRequested signal ->
                effects.add(new Effect(signal.id(), "signal to child " + signal.number()));
            case ChildCancelRequested cancel -> effects.add(new Effect(cancel.id(), "end of child " + cancel.number()));
            case HistoryEvent.Command ignored -> {}
            case HistoryEvent.Informing ignored -> {}
        }
    }

    /**
     * Returns the event; the nearest end of a turn may be in front of it.
     *
     * @param evenIfUndone whether to go back to in front of what the code has done behind the failure
     * @throws RefusedInputException if the run has not failed, or its code has done something behind the failure
     */
    long eventId(boolean evenIfUndone) {
        return switch (closing) {
            case null ->
                throw refused(
                        "it is open. A run that is stalled is tried again by client.workflows().retryAll(), and goes on at another"
                                + " point of its history by handle.fork(eventId).");
            case WorkflowFailed failed -> inFrontOf(failedAt(failed), evenIfUndone) - 1;
            case WorkflowTimedOut timedOut -> timedOut.id() - 1;
            case WorkflowCompleted ignored -> throw hasNotFailed("has completed");
            case WorkflowCancelled ignored -> throw hasNotFailed("was cancelled");
            case WorkflowTerminated ignored -> throw hasNotFailed("was terminated");
            case WorkflowContinuedAsNew ignored -> throw hasNotFailed("was continued by another run");
        };
    }

    private long failedAt(WorkflowFailed failed) {
        return failed.failedAt() == null ? lastTurn : failed.failedAt();
    }

    private long inFrontOf(long failedAt, boolean evenIfUndone) {
        List<Effect> behind =
                effects.stream().filter(effect -> effect.eventId > failedAt).toList();
        if (!behind.isEmpty() && !evenIfUndone) {
            StringBuilder what = new StringBuilder();
            behind.stream()
                    .limit(NAMED)
                    .forEach(effect -> what.append(effect.what)
                            .append(" (event ")
                            .append(effect.eventId)
                            .append("), "));
            if (behind.size() > NAMED) {
                what.append(behind.size() - NAMED).append(" more, ");
            }
            throw refused("behind event " + failedAt + ", in whose turn the failure arose, its code has called " + what
                    + "as compensations and clean-up do, and the retry would not know of that: all up to event "
                    + (failedAt - 1) + " counts as done and not undone. If it may go on nevertheless, say so:"
                    + " retryFromFailure(ForkOptions.defaults().evenIfUndone()).");
        }
        return failedAt;
    }

    private RefusedInputException hasNotFailed(String what) {
        return refused("it " + what
                + ", and has not failed. handle.fork(eventId) goes on behind any event at which a turn ends.");
    }

    private RefusedInputException refused(String why) {
        return new RefusedInputException("a retry of " + run + " from its failure: " + why);
    }
}
