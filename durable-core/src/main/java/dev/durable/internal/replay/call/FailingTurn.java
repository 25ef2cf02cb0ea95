package dev.durable.internal.replay.call;

import dev.durable.ActivityFailedException;
import dev.durable.ChildFailedException;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.HistoryEvent;
import dev.durable.internal.text.Thrown;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers in which turn the failure arose that ends the run, which a retry from the failure goes back to. The run may
 * close many turns later: an exception passes clean-up and the undo of sagas on its way, and the run waits for handlers
 * and for its compensations. A failure that has an activity's or a child's for a cause arose where that outcome came;
 * another one where it was thrown, or where the undo of the saga began that it came out of. A turn is named by the event
 * that begins it, so replay finds the same one.
 */
final class FailingTurn {
    /** By number of an activity, or workflow id of a child, that has failed: the event that brought its outcome. */
    private final Map<Object, Long> failures = new HashMap<>(0);
    /** The event that began the present turn. */
    private long turn;
    /** The turn in which the last undo of a saga began, and the one in which it ended; 0 without an undo. */
    private long undoBegan;

    private long undoEnded;
    /** The turn in which the failure arose; 0 while the run has not failed. */
    private long arose;

    /** Notes the event that begins a turn, or is handled together with the one in front of it. */
    void begins(HistoryEvent.Inbound event) {
        turn = event.id();
        if (event instanceof HistoryEvent.ActivityClosed end && !(end instanceof ActivityCompleted)) {
            failures.put(end.seq(), end.id());
        }
    }

    void childFailed(String workflowId, HistoryEvent.ChildClosed event) {
        failures.put(workflowId, event.id());
    }

    /** Notes the begin of an undo; returns the turn, which {@link #undoEnds} is told. */
    long undoBegins() {
        return isBehindUndo() ? undoBegan : turn;
    }

    void undoEnds(long began) {
        undoBegan = began;
        undoEnded = turn;
    }

    /** Notes that the run fails in this turn by this exception; a saga throws in the turn in which its undo has ended. */
    void fails(Throwable thrown) {
        if (arose == 0) {
            long thrownIn = isBehindUndo() ? undoBegan : turn;
            Long outcome = outcome(thrown);
            // An undo that failed is suppressed by the failure of its saga, and later than that.
            arose = outcome == null ? thrownIn : Math.min(outcome, thrownIn);
        }
    }

    private @Nullable Long outcome(Throwable thrown) {
        // Beside an exception that a signature names stand the details of its activity or child.
        return Thrown.of(thrown)
                .chain()
                .flatMap(cause -> Stream.concat(Stream.of(cause), Thrown.of(cause).suppressed().stream()))
                .map(this::ownOutcome)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private @Nullable Long ownOutcome(Throwable thrown) {
        return switch (thrown) {
            case ActivityFailedException activity -> failures.get(activity.seq());
            case ChildFailedException child -> failures.get(child.workflowId());
            default -> null;
        };
    }

    private boolean isBehindUndo() {
        return undoBegan > 0 && undoEnded == turn;
    }

    /** Returns the event that began the turn in which the failure arose; null where that is the present turn. */
    @Nullable
    Long eventId() {
        return arose == 0 || arose == turn ? null : arose;
    }
}
