package dev.durable.replay;

import dev.durable.CancelledException;
import dev.durable.history.ActivityCancelRequested;
import org.jspecify.annotations.Nullable;

/** An activity that was scheduled and has no outcome. Cancelled, it stays open until its outcome, which nobody hears of. */
final class OpenActivity implements Open {
    final int seq;
    final ActivityCall call;
    final DurablePromise<@Nullable Object> promise;

    private final Journal journal;
    private final Scope home;
    private final boolean shielded;
    private boolean cancelled;

    OpenActivity(int seq, ActivityCall call, DurablePromise<@Nullable Object> promise, Journal journal, Coroutine by) {
        this.seq = seq;
        this.call = call;
        this.promise = promise;
        this.journal = journal;
        this.home = by.scope();
        this.shielded = by.isShielded();
        promise.cancelledBy(this);
        home.add(this);
    }

    @Override
    public void cancel(String why) {
        if (cancelled || promise.isSettled()) {
            return;
        }
        cancelled = true;
        journal.put((id, at) -> new ActivityCancelRequested(id, at, seq));
        home.remove(this);
        promise.cancelled(new CancelledException(this + " was cancelled: " + why));
    }

    void ended(Outcome<@Nullable Object> outcome) {
        home.remove(this);
        promise.settle(outcome);
    }

    @Override
    public boolean shielded() {
        return shielded;
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public String toString() {
        return "activity " + seq + " " + call.name();
    }
}
