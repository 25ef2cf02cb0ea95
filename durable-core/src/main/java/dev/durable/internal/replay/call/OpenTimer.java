package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerStarted;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.OpenOperation;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import dev.durable.internal.replay.coroutine.Scope;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A timer that has neither fired nor was cancelled. */
public final class OpenTimer extends OpenOperation {
    final int seq;
    final Instant fireAt;
    final DurablePromise<@Nullable Void> promise;
    /** The callback that times out with it; null where it is a timer of the code. */
    @Nullable
    OpenCallback callback;

    private final @Nullable String summary;
    private final OpenWork work;
    private final Scope home;
    private final boolean shielded;

    OpenTimer(
            TimerStarted started,
            DurablePromise<@Nullable Void> promise,
            OpenWork work,
            Coroutine by,
            boolean shielded) {
        this.seq = started.seq();
        this.fireAt = started.fireAt();
        this.summary = started.summary();
        this.promise = promise;
        this.work = work;
        this.home = by.scope();
        this.shielded = shielded;
        promise.cancelledBy(this);
        home.add(this);
    }

    @Override
    public void cancel(String why) {
        if (work.close(this)) {
            work.journal().put((id, at) -> new TimerCancelled(id, at, seq));
            home.remove(this);
            promise.cancelled(new CancelledException(this + " was cancelled: " + why));
        }
    }

    void fired() {
        home.remove(this);
        promise.settle(PromiseOutcome.success(null));
    }

    @Override
    public boolean shielded() {
        return shielded;
    }

    @Override
    public String toString() {
        return "timer " + seq + (summary == null ? "" : " (" + summary + ")") + " due " + fireAt;
    }
}
