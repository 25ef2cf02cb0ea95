package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackOpened;
import dev.durable.history.FirstTurnStarted;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SignalReceived;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The event of a history behind which a run is forked, and what is open there. It reads the history event by event, up to
 * the first event behind the point that shows whether a turn ends there: only whole turns can be copied.
 */
final class ForkPoint {
    private final RunKey run;
    private final long eventId;

    private final Map<Integer, OpenCall> activities = new LinkedHashMap<>();
    private final HistoryChildren children = new HistoryChildren();
    private final BehindPoint behindPoint = new BehindPoint();
    private final Set<UUID> callbacks = new HashSet<>();
    private @Nullable WorkflowStarted started;
    private Instant at = Instant.EPOCH;

    private long last;
    private boolean firstTurnMade;
    private boolean joined;
    private boolean closed;
    /** The last place before the point, or at it, at which a turn ends; 0 while there is none. */
    private long before;
    /** The first place behind the point at which a turn ends; 0 while none is known. */
    private long behind;

    /**
     * An activity that is open at the point.
     *
     * @param cancelRequested whether it was asked to cancel
     * @param idempotencyKey the key that it has in the run that has scheduled it
     */
    record OpenCall(ActivityScheduled scheduled, boolean cancelRequested, String idempotencyKey) {}

    ForkPoint(RunKey run, long eventId) {
        this.run = run;
        this.eventId = eventId;
    }

    /** Reads the next event; returns whether more are needed. */
    boolean read(HistoryEvent event) {
        firstTurnMade |= event instanceof HistoryEvent.Inbound && !(event instanceof WorkflowStarted);
        boolean isWithinTurn = event instanceof HistoryEvent.Command || event instanceof FirstTurnStarted;
        if (!isWithinTurn) {
            turnMayEnd();
        }
        last = event.id();
        closed = event instanceof HistoryEvent.Closing;
        learnTurns(event);
        if (last <= eventId) {
            at = event.at().isAfter(at) ? event.at() : at;
            learnOpen(event);
        }
        behindPoint.read(event, last > eventId);
        return before < Math.max(eventId, 1) && behind == 0;
    }

    /** Ends the reading at the end of the history. */
    void end() {
        if (!closed) {
            turnMayEnd();
        }
    }

    private void turnMayEnd() {
        if (!firstTurnMade || joined) {
            return;
        }
        if (last <= eventId) {
            before = last;
        } else if (behind == 0) {
            behind = last;
        }
    }

    private void learnTurns(HistoryEvent event) {
        switch (event) {
            case WorkflowStarted e -> firstTurnMade = e.firstTurnDone();
            case FirstTurnStarted e -> {
                firstTurnMade = true;
                joined = e.withNext();
            }
            case SignalReceived e -> joined = e.withNext();
            case UpdateAccepted e -> joined = e.withNext();
            case WorkflowCancelRequested e -> joined = e.withNext();
            case HistoryEvent.Inbound ignored -> joined = false;
            case HistoryEvent.Command ignored -> firstTurnMade = true;
            case HistoryEvent.Informing ignored -> {}
            case HistoryEvent.Closing ignored -> {}
        }
    }

    private void learnOpen(HistoryEvent event) {
        children.read(event);
        switch (event) {
            case WorkflowStarted e -> started = e;
            case WorkflowForked e -> started = started().forked(e);
            case ActivityScheduled e ->
                activities.put(e.seq(), new OpenCall(e, false, started().runId() + ":" + e.seq()));
            case ActivityCancelRequested e ->
                activities.computeIfPresent(
                        e.seq(), (seq, call) -> new OpenCall(call.scheduled(), true, call.idempotencyKey()));
            case HistoryEvent.ActivityClosed e -> activities.remove(e.seq());
            case CallbackOpened e -> callbacks.add(e.callback());
            case CallbackCancelled e -> callbacks.remove(e.callback());
            case HistoryEvent.CallbackEnded e -> callbacks.remove(e.callback());
            case HistoryEvent.Inbound ignored -> {}
            case HistoryEvent.Command ignored -> {}
            case HistoryEvent.Informing ignored -> {}
            case HistoryEvent.Closing ignored -> {}
        }
    }

    /** Returns the first event as the code of the run sees it at the point. */
    WorkflowStarted started() {
        WorkflowStarted first = started;
        if (first == null) {
            throw new IllegalStateException("the history of " + run + " was not read");
        }
        return first;
    }

    /** Returns the last event that is copied. */
    long eventId() {
        return eventId;
    }

    /** Returns the time of the last event that is copied. */
    Instant at() {
        return at;
    }

    HistoryChildren children() {
        return children;
    }

    /** Returns what the events that were read have behind the point. */
    BehindPoint behindPoint() {
        return behindPoint;
    }

    /** Returns the last place at the point or in front of it at which a turn ends; 0 where there is none. */
    long nearest() {
        return before;
    }

    /** Returns the number of events that were read. */
    long last() {
        return last;
    }

    /** Returns the values that came behind the point to callbacks that are open there, as no run has read them yet. */
    Stream<CallbackCompleted> callbackValues() {
        return callbacks.stream()
                .map(behindPoint::completed)
                .filter(Objects::nonNull)
                .map(end -> new CallbackCompleted(end.id(), end.at(), end.callback(), end.result()));
    }

    List<OpenCall> activities() {
        return List.copyOf(activities.values());
    }

    /**
     * Refuses a point at which the run can't be forked.
     *
     * @param inPlace whether the fork takes the place of the run
     * @param keepsOutcomes whether the fork is given the outcomes that came behind the point to what is open there
     * @throws RefusedInputException which names the nearest points that can be forked
     */
    void check(boolean inPlace, boolean keepsOutcomes) {
        if (before == 0 || before != eventId) {
            throw new RefusedInputException(
                    "a fork of " + run + " at event " + eventId + ": " + whyNot() + nearestPoints());
        }
        if (!inPlace && !children.open().isEmpty()) {
            int others = children.open().size() - 1;
            HistoryChildren.Child first = children.open().iterator().next();
            throw new RefusedInputException(
                    "a fork of " + run + " at event " + eventId + ": child " + first.number()
                            + ", " + Bounds.shown(first.workflowId()) + ", is open there"
                            + (others == 0 ? "" : ", as are " + others + " others")
                            + ", and tells its outcome to that run only. Fork in front of the start of the child, or behind its end.");
        }
        long waiting = callbacks.size() - (keepsOutcomes ? callbackValues().count() : 0);
        if (waiting > 0) {
            throw new RefusedInputException("a fork of " + run + " at event " + eventId + ": "
                    + (waiting == 1 ? "a callback is" : waiting + " callbacks are")
                    + " open there, whose token names that run, so that no outcome would come to the fork."
                    + " Fork in front of the call of Durable.callback, or behind the outcome.");
        }
    }

    private String whyNot() {
        if (eventId > last) {
            return "its history has " + last + (last == 1 ? " event" : " events");
        }
        if (eventId < 1) {
            return "events are numbered from 1";
        }
        return before == 0
                ? "its code has not run its first turn there"
                : "that is in the middle of a turn, of messages that are handled together, or the end of the run";
    }

    private String nearestPoints() {
        List<String> points = new ArrayList<>();
        if (before > 0) {
            points.add(Long.toString(before));
        }
        if (behind > 0) {
            points.add(Long.toString(behind));
        }
        return points.isEmpty()
                ? ". There is no event at which it can be forked: start it anew."
                : ". The nearest " + (points.size() == 1 ? "event at which it can is " : "events at which it can are ")
                        + String.join(" and ", points) + ".";
    }
}
