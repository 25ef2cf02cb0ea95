package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.ChildCancellationType;
import dev.durable.ParentClosePolicy;
import dev.durable.history.CarriedChild;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.OpenOperation;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import dev.durable.internal.replay.coroutine.Scope;
import dev.durable.internal.text.Bounds;
import dev.durable.store.ParentClosed;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A child that was started and whose end is not known. A cancelled one stays open until its end; its {@link
 * ChildCancellationType} decides whether the code gets that, and whether the child is asked to cancel.
 */
final class OpenChild extends OpenOperation {
    final long number;
    final String workflowId;
    final UUID runId;
    private ChildTarget target;
    final DurablePromise<@Nullable Object> result;

    private final OpenChildren all;
    private final Scope home;
    private final boolean shielded;
    private final ChildCancellationType cancellation;
    private final ParentClosePolicy closePolicy;
    private final String type;
    private @Nullable String cancelled;
    private boolean asked;
    /** True once it was ordered to be terminated, which is recorded once. */
    private boolean terminated;
    /** True where its cancellation was not told to it; then it goes on until its parent has ended. */
    private boolean abandoned;

    private @Nullable PromiseOutcome<@Nullable Void> startOutcome;
    /** Settles with the start; null unless the code asks for it. */
    private @Nullable DurablePromise<@Nullable Void> started;
    /** Settles with the end, also where the promise of the code was cancelled before; null unless it is asked for. */
    private @Nullable DurablePromise<@Nullable Object> ending;

    /** The promises of its result that are read as other types, by those types; null where the code asks for none. */
    private @Nullable Map<Type, DurablePromise<@Nullable Object>> readings;

    private HistoryEvent.@Nullable ChildClosed end;

    OpenChild(ChildStartRequested request, ChildTarget target, OpenChildren all, Coroutine by) {
        this(
                new CarriedChild(
                        request.number(),
                        request.workflowId(),
                        request.runId(),
                        request.workflowType(),
                        request.options().parentClosePolicy(),
                        request.options().cancellation(),
                        false,
                        null),
                target,
                all,
                by);
    }

    /** A child of an earlier run of the chain. */
    OpenChild(CarriedChild child, ChildTarget target, OpenChildren all, Coroutine by) {
        this.number = child.number();
        this.workflowId = child.workflowId();
        this.runId = child.runId();
        this.type = child.workflowType();
        this.cancellation = child.cancellation();
        this.closePolicy = child.parentClosePolicy();
        this.asked = child.cancelRequested();
        this.target = target;
        this.all = all;
        this.result = all.newPromise();
        this.home = by.scope();
        this.shielded = by.isShielded();
        result.cancelledBy(this);
        home.add(this);
    }

    @Override
    public void wasRead() {
        all.wasRead(this);
    }

    /** Returns the child as the next run of the chain knows it. */
    CarriedChild carried() {
        return new CarriedChild(number, workflowId, runId, type, closePolicy, cancellation, asked, end);
    }

    /** Returns its recorded type. */
    String type() {
        return type;
    }

    ParentClosePolicy closePolicy() {
        return closePolicy;
    }

    ChildTarget target() {
        return target;
    }

    /** Reads its result as another type says, unless it has been read. */
    void readAs(ChildTarget other) {
        target = other;
    }

    /**
     * Cancels it for its parent's code. The end of the run settles the promise and leaves the child to its policy; a
     * continuation leaves it to the next run.
     */
    @Override
    public void cancel(String why) {
        if (cancelled != null || result.isSettled()) {
            return;
        }
        if (why.equals(ContinueCalls.CONTINUED)) {
            return;
        }
        boolean ofRunsEnd = why.equals(RunEnding.RUN_ENDED);
        cancelled = why;
        abandoned = !ofRunsEnd && cancellation == ChildCancellationType.ABANDON;
        if (!ofRunsEnd && !abandoned) {
            ask(why);
        }
        if (ofRunsEnd || cancellation != ChildCancellationType.WAIT_CANCELLATION_COMPLETED) {
            home.remove(this);
            wasCancelled(why);
        }
    }

    /** Asks the child to cancel, once. */
    void ask(String reason) {
        if (!asked) {
            asked = true;
            all.askToCancel(this, reason, false);
        }
    }

    /**
     * Ends it by its parent-close policy, as the run is about to be undone.
     *
     * @return a promise for its end; null where the undo does not wait for it
     */
    @Nullable
    DurablePromise<@Nullable Object> endForUndo() {
        if (abandoned) {
            return null;
        }
        switch (closePolicy) {
            case TERMINATE -> {
                if (!terminated) {
                    terminated = true;
                    all.askToCancel(this, ParentClosed.UNDONE, true);
                }
            }
            case CANCEL -> ask(ParentClosed.UNDONE);
            case ABANDON -> {
                return null;
            }
        }
        return ending();
    }

    /** Returns a promise that settles with its end, however that is, and whether or not it was cancelled. */
    DurablePromise<@Nullable Object> ending() {
        if (ending == null) {
            ending = all.newPromise();
            ending.cancelledBy(this);
        }
        return ending;
    }

    /** Returns the promise for its start; null where the code has not asked for it. */
    @Nullable
    DurablePromise<@Nullable Void> started() {
        return started;
    }

    DurablePromise<@Nullable Void> watched() {
        DurablePromise<@Nullable Void> watch = new DurablePromise<>(all.run());
        started = watch;
        return watch;
    }

    /** Returns the outcome of the start of a child whose end is known. */
    PromiseOutcome<@Nullable Void> startOutcome() {
        return Objects.requireNonNull(startOutcome, "the child is open");
    }

    void wasStarted(PromiseOutcome<@Nullable Void> how) {
        startOutcome = how;
        if (started != null) {
            started.settle(how);
        }
    }

    void ended(HistoryEvent.ChildClosed event, PromiseOutcome<@Nullable Object> outcome) {
        end = event;
        home.remove(this);
        if (cancelled != null && outcome.failure() instanceof CancelledException) {
            wasCancelled(cancelled);
        } else {
            result.settle(outcome);
            for (Map.Entry<Type, DurablePromise<@Nullable Object>> reading :
                    readings().entrySet()) {
                reading.getValue().settle(outcomeAs(reading.getKey()));
            }
        }
        if (ending != null) {
            ending.settle(PromiseOutcome.success(null));
        }
    }

    /** Returns the event of its end; null while that is not known. */
    HistoryEvent.@Nullable ChildClosed end() {
        return end;
    }

    /** Returns whether this coroutine, or one that it has started, and so on, has started it. */
    boolean isWithin(Coroutine ancestor) {
        return home.isWithin(ancestor);
    }

    private void wasCancelled(String why) {
        CancelledException stop = new CancelledException(this + " was cancelled: " + why);
        result.cancelled(stop);
        readings().values().forEach(reading -> reading.cancelled(stop));
    }

    /** Returns a promise of its result that is read as this type; it takes the place of {@link #result} for the code. */
    DurablePromise<@Nullable Object> resultAs(Type type) {
        result.observe();
        if (readings == null) {
            readings = new LinkedHashMap<>(4);
        }
        return readings.computeIfAbsent(type, as -> {
            DurablePromise<@Nullable Object> reading = all.newPromise();
            reading.cancelledBy(this);
            if (result.isSettled()) {
                reading.observe();
                reading.settle(outcomeAs(as));
            }
            return reading;
        });
    }

    private Map<Type, DurablePromise<@Nullable Object>> readings() {
        return readings == null ? Map.of() : readings;
    }

    private PromiseOutcome<@Nullable Object> outcomeAs(Type type) {
        if (!result.hasFailed()) {
            return PromiseOutcome.succeededWith(() -> all.resultAs(this, type));
        }
        return PromiseOutcome.failedWith(() -> {
            throw Objects.requireNonNull(result.unreadFailure());
        });
    }

    @Override
    public boolean shielded() {
        return shielded;
    }

    /** Returns whether it was asked to cancel because its coroutine was cancelled. */
    boolean isStopping() {
        return cancelled != null && asked;
    }

    /** Returns whether it was cancelled and the code, or the close of the run, waits for its end. */
    @Override
    public boolean outlastsCancel() {
        return cancelled != null
                && !result.isSettled()
                && cancellation == ChildCancellationType.WAIT_CANCELLATION_COMPLETED;
    }

    @Override
    public String waitedFor() {
        return cancelled == null ? toString() : "the end of cancelled " + this;
    }

    @Override
    public String toString() {
        return "child " + number + " " + target.type() + " " + Bounds.shown(workflowId);
    }
}
