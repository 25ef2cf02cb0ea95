package dev.durable.internal.replay.call;

import dev.durable.ParentClosePolicy;
import dev.durable.history.CarriedChild;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildCancelled;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildFailed;
import dev.durable.history.ChildStartFailed;
import dev.durable.history.ChildStarted;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import dev.durable.internal.text.Bounds;
import dev.durable.store.ChildOutcome;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The children that a run has started and whose ends it does not know, by their numbers. */
public final class OpenChildren {
    private static final int ONE_BYTES = 640;

    private final DurableCalls run;
    private final CurrentTurn journal;
    private final SentMessages sent;
    private final ChildOutcomes outcomes;
    private final UnaryOperator<String> recordable;
    private final NavigableMap<Long, OpenChild> open = new TreeMap<>();
    /** Those that have ended in this run and whose results were not read then, in the order of their ends. */
    private final SequencedMap<Long, OpenChild> unread = new LinkedHashMap<>();

    private final List<OpenChild> inherited = new ArrayList<>();

    /** @param recordable removes what must not be recorded from reasons */
    OpenChildren(
            DurableCalls run,
            CurrentTurn journal,
            SentMessages sent,
            ChildOutcomes outcomes,
            UnaryOperator<String> recordable) {
        this.run = run;
        this.journal = journal;
        this.sent = sent;
        this.outcomes = outcomes;
        this.recordable = recordable;
    }

    DurableCalls run() {
        return run;
    }

    DurablePromise<@Nullable Object> newPromise() {
        return new DurablePromise<>(run);
    }

    /** Returns how many of the open ones are not left alone when their parent ends. */
    long notAbandoned() {
        return open.values().stream()
                .filter(child -> child.closePolicy() != ParentClosePolicy.ABANDON)
                .count();
    }

    int size() {
        return open.size();
    }

    void add(OpenChild child) {
        open.put(child.number, child);
    }

    /** Returns whether the end of this child is not known. */
    boolean isOpen(OpenChild child) {
        return open.get(child.number) == child;
    }

    /** Returns the open child with this number. */
    public ChildAddress address(long number) {
        OpenChild child = Objects.requireNonNull(open.get(number), "no such child is open");
        return new ChildAddress(child.workflowId, child.runId);
    }

    /** Gives the command to cancel or terminate a child. */
    void askToCancel(OpenChild child, String reason, boolean terminate) {
        String why = recordable.apply(reason);
        long message = sent.next();
        journal.put((id, at) -> new ChildCancelRequested(id, at, child.number, message, why, terminate));
    }

    // ── news of children ─────────────────────────────────────────────────────────────────────────────────────────────

    /** Returns whether the news is that of an open child, and of the very chain that was started. */
    boolean accepts(HistoryEvent.OfChild event) {
        OpenChild child = open.get(event.number());
        if (child == null) {
            return false;
        }
        return switch (event) {
            case ChildStarted e ->
                e.messageId()
                        .equals(ChildOutcome.started(child.runId, child.number).messageId());
            case HistoryEvent.ChildClosed e -> e.messageId().equals(child.runId);
        };
    }

    void apply(HistoryEvent.OfChild event) {
        OpenChild child = Objects.requireNonNull(open.get(event.number()), "no such child is open");
        switch (event) {
            case ChildStarted ignored -> child.wasStarted(PromiseOutcome.success(null));
            case HistoryEvent.ChildClosed closed -> {
                open.remove(closed.number());
                end(child, closed);
                unread.put(child.number, child);
                if (unread.size() > Bounds.CARRIED_CHILDREN) {
                    unread.pollFirstEntry();
                }
            }
        }
    }

    private void end(OpenChild child, HistoryEvent.ChildClosed closed) {
        if (!(closed instanceof ChildCompleted)) {
            run.ending().failingTurn().childFailed(child.workflowId, closed);
        }
        child.wasStarted(
                closed instanceof ChildStartFailed failed
                        ? outcomes.notStarted(child, failed)
                        : PromiseOutcome.success(null));
        child.ended(closed, outcome(child, closed));
    }

    private PromiseOutcome<@Nullable Object> outcome(OpenChild child, HistoryEvent.ChildClosed event) {
        return switch (event) {
            case ChildCompleted e -> outcomes.completed(child, e);
            case ChildFailed e -> outcomes.failed(child, e);
            case ChildCancelled e -> outcomes.cancelled(child, e);
            case ChildStartFailed e -> outcomes.notStarted(child, e);
        };
    }

    // ── children over runs of a chain ────────────────────────────────────────────────────────────────────────────────

    /** Adds a child of an earlier run of the chain. */
    void inherit(CarriedChild carried, ChildTarget target, Coroutine body) {
        OpenChild child = new OpenChild(carried, target, this, body);
        inherited.add(child);
        HistoryEvent.ChildClosed closed = carried.end();
        if (closed == null) {
            add(child);
        } else {
            end(child, closed);
        }
    }

    /** Returns the children of earlier runs of the chain, by number. */
    List<OpenChild> inherited() {
        return inherited;
    }

    /**
     * Returns the children that the next run of the chain goes on with, by number: the open ones (of the abandoned
     * as many as the bound leaves room for), and the newest of those that have ended in this run and whose results no code
     * has read. The next attempt of a failed run begins again, and
     * knows the open ones only, which were abandoned.
     */
    List<CarriedChild> carried() {
        Map<Long, CarriedChild> carried = new TreeMap<>();
        open.values().stream()
                .filter(child -> child.closePolicy() != ParentClosePolicy.ABANDON)
                .forEach(child -> carried.put(child.number, child.carried()));
        for (OpenChild child : open.descendingMap().values()) {
            if (carried.size() < Bounds.CARRIED_CHILDREN) {
                carried.putIfAbsent(child.number, child.carried());
            }
        }
        if (run.ending().nextAttempt() == null) {
            carryUnread(carried);
        }
        return List.copyOf(carried.values());
    }

    private void carryUnread(Map<Long, CarriedChild> carried) {
        long characters = 0;
        for (OpenChild ended : unread.sequencedValues().reversed()) {
            long more =
                    EventJson.attributes(Objects.requireNonNull(ended.end())).length();
            if (carried.size() < Bounds.CARRIED_CHILDREN && characters + more <= Bounds.CARRIED_RESULTS) {
                characters += more;
                carried.put(ended.number, ended.carried());
            }
        }
    }

    /** Cancels all that were not started in {@code detached}. */
    void cancelAll(String why) {
        List.copyOf(open.values()).stream().filter(child -> !child.shielded()).forEach(child -> child.cancel(why));
    }

    /** Notes that code has got the outcome of a child. */
    void wasRead(OpenChild child) {
        unread.remove(child.number);
    }

    /** Reads the result of a child that has completed, as this type. */
    @Nullable
    Object resultAs(OpenChild child, Type type) throws Throwable {
        return child.end() instanceof ChildCompleted completed ? outcomes.result(child, completed, type) : null;
    }

    // ── the end of the run ───────────────────────────────────────────────────────────────────────────────────────────

    /** Returns the cancelled children for whose ends the close of the run waits. */
    List<OpenChild> awaited() {
        return open.values().stream().filter(OpenChild::outlastsCancel).toList();
    }

    /**
     * Ends the children that a coroutine, or one that it has started, and so on, has started, by their policies, unless
     * they were asked to cancel. Returns the ends that are to be awaited.
     */
    Collection<DurablePromise<@Nullable Object>> endWithin(Coroutine ancestor) {
        return List.copyOf(open.values()).stream()
                .filter(child -> child.isWithin(ancestor))
                .map(child -> child.isStopping() ? child.ending() : child.endForUndo())
                .filter(Objects::nonNull)
                .toList();
    }

    /** Applies the parent-close policies of all open children; returns the ends that are to be awaited. */
    List<DurablePromise<@Nullable Object>> endForUndo() {
        return List.copyOf(open.values()).stream()
                .map(OpenChild::endForUndo)
                .filter(Objects::nonNull)
                .toList();
    }

    long weight() {
        return (long) ONE_BYTES * (open.size() + unread.size());
    }
}
