package dev.durable.replay;

import dev.durable.CancelledException;
import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityScheduled;
import org.jspecify.annotations.Nullable;

/** An activity that was scheduled and has no outcome. Cancelled, it stays open until its outcome, which nobody hears of. */
final class OpenActivity extends Open {
    final int seq;
    final ActivityCall call;
    final DurablePromise<@Nullable Object> promise;

    private final @Nullable ActivityScheduled local;
    private final OpenWork work;
    private final Scope home;
    private final boolean shielded;
    private boolean cancelled;

    /**
     * @param local the call of a local activity; null where the history has a command
     */
    OpenActivity(int seq, ActivityCall call, OpenWork work, Coroutine by, @Nullable ActivityScheduled local) {
        this.seq = seq;
        this.call = call;
        this.promise = work.newPromise();
        this.work = work;
        this.local = local;
        this.home = by.scope();
        this.shielded = by.isShielded();
        promise.cancelledBy(this);
        home.add(this);
    }

    @Override
    void cancel(String why) {
        if (cancelled || promise.isSettled()) {
            return;
        }
        cancelled = true;
        if (local == null) {
            work.journal().put((id, at) -> new ActivityCancelRequested(id, at, seq));
        } else {
            work.tellWorker(this);
        }
        home.remove(this);
        promise.cancelled(new CancelledException(this + " was cancelled: " + why));
    }

    void ended(Outcome<@Nullable Object> outcome) {
        home.remove(this);
        promise.settle(outcome);
    }

    @Override
    boolean shielded() {
        return shielded;
    }

    /** The call, where it is a local activity. */
    @Nullable
    ActivityScheduled local() {
        return local;
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public String toString() {
        return "activity " + seq + " " + call.name();
    }
}
