package dev.durable.internal.replay.call;

import dev.durable.ActivityCancellationType;
import dev.durable.CancelledException;
import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityScheduled;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.OpenOperation;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import dev.durable.internal.replay.coroutine.Scope;
import org.jspecify.annotations.Nullable;

/**
 * An activity that was scheduled and has no outcome. A cancelled one stays open until its outcome; its {@link
 * ActivityCancellationType} decides whether the code gets that outcome, and whether the activity gets the cancellation.
 */
public final class OpenActivity extends OpenOperation {
    final int seq;
    final ActivityCall call;
    final DurablePromise<@Nullable Object> promise;

    private final @Nullable ActivityScheduled local;
    private final OpenWork work;
    private final Scope home;
    private final boolean shielded;
    private final ActivityCancellationType cancellation;
    private @Nullable String cancelled;
    /** Settles with the outcome, also where the promise of the code was cancelled before; null unless it is asked for. */
    private @Nullable DurablePromise<@Nullable Object> end;

    /**
     * @param scheduled its call in the history, or that of the code where it is local
     * @param local whether the history has no command of it
     */
    OpenActivity(ActivityCall call, OpenWork work, Coroutine by, ActivityScheduled scheduled, boolean local) {
        this.seq = scheduled.seq();
        this.cancellation = scheduled.options().cancellation();
        this.call = call;
        this.promise = work.newPromise();
        this.work = work;
        this.local = local ? scheduled : null;
        this.home = by.scope();
        this.shielded = by.isShielded();
        promise.cancelledBy(this);
        home.add(this);
    }

    @Override
    public void cancel(String why) {
        if (cancelled != null || promise.isSettled()) {
            return;
        }
        cancelled = why;
        if (isToStop()) {
            requestCancel();
        }
        if (!outlastsCancel()) {
            home.remove(this);
            promise.cancelled(wasCancelled(why));
        }
    }

    private void requestCancel() {
        if (local == null) {
            work.journal().put((id, at) -> new ActivityCancelRequested(id, at, seq));
        } else {
            work.tellWorker(this);
        }
    }

    void ended(PromiseOutcome<@Nullable Object> outcome) {
        home.remove(this);
        if (cancelled != null && outcome.failure() instanceof CancelledException) {
            promise.cancelled(wasCancelled(cancelled));
        } else {
            promise.settle(outcome);
        }
        if (end != null) {
            end.settle(PromiseOutcome.success(null));
        }
    }

    /** Returns a promise that settles with the outcome, however that is, and whether or not the call was cancelled. */
    DurablePromise<@Nullable Object> end() {
        if (end == null) {
            end = work.newPromise();
            end.cancelledBy(this);
        }
        return end;
    }

    /** Returns whether this coroutine, or one that it has started, and so on, has scheduled it. */
    boolean isWithin(Coroutine ancestor) {
        return home.isWithin(ancestor);
    }

    private CancelledException wasCancelled(String why) {
        return new CancelledException(this + " was cancelled: " + why);
    }

    @Override
    public boolean shielded() {
        return shielded;
    }

    /** Returns the call of a local activity; null otherwise. */
    @Nullable
    ActivityScheduled local() {
        return local;
    }

    /** Returns whether it was cancelled and its body is to be stopped. */
    boolean isToStop() {
        return cancelled != null
                && switch (cancellation) {
                    case TRY_CANCEL, WAIT_CANCELLATION_COMPLETED -> true;
                    case ABANDON -> false;
                };
    }

    /** Returns whether it was cancelled and the code still waits for its outcome. */
    @Override
    public boolean outlastsCancel() {
        return cancelled != null
                && switch (cancellation) {
                    case WAIT_CANCELLATION_COMPLETED -> true;
                    case TRY_CANCEL, ABANDON -> false;
                };
    }

    /** Returns whether the run does not close before its outcome. */
    boolean isAwaited() {
        return cancelled == null ? shielded : outlastsCancel();
    }

    /** Returns the name of the awaited outcome, for descriptions. */
    String outcome() {
        String how = cancelled == null ? "" : isToStop() ? "cancelled " : "abandoned ";
        return "the outcome of " + how + this;
    }

    @Override
    public String waitedFor() {
        return cancelled == null ? toString() : outcome();
    }

    @Override
    public String toString() {
        return "activity " + seq + " " + call.name();
    }
}
