package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackOpened;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.OpenOperation;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A callback that has no outcome. Its timer is an operation of its own in the same scope. When that fires, the callback
 * stays open until the message that says so has come back from the inbox, which takes in the first outcome only.
 */
final class OpenCallback extends OpenOperation {
    final long number;
    final UUID id;
    final Type type;
    final DurablePromise<@Nullable Object> promise;

    private final OpenCallbacks all;
    private final Coroutine by;
    private final boolean shielded;
    private Duration time;
    private int extensions;
    private OpenTimer timer;

    OpenCallback(CallbackOpened opened, Type type, Duration time, OpenCallbacks all, Coroutine by) {
        this.number = opened.number();
        this.id = opened.callback();
        this.type = type;
        this.time = time;
        this.all = all;
        this.by = by;
        this.shielded = by.isShielded();
        this.promise = all.work().newPromise();
        promise.cancelledBy(this);
        by.scope().add(this);
        timer = all.work().start(by, time);
        timer.callback = this;
    }

    /** Returns how often it was given another time. */
    int extensions() {
        return extensions;
    }

    /** Returns whether its timer has fired. */
    boolean isOverdue() {
        return timer.promise.isSettled();
    }

    /** The time after which it times out, as it was given last. */
    Duration time() {
        return time;
    }

    /** Returns whether this coroutine has opened it. */
    boolean isOf(Coroutine coroutine) {
        return by == coroutine;
    }

    void extend(Duration other) {
        timer.cancel("the callback was given another time");
        time = other;
        extensions++;
        timer = all.work().start(by, shielded, other, null);
        timer.callback = this;
    }

    void ended(PromiseOutcome<@Nullable Object> outcome) {
        close();
        promise.settle(outcome);
    }

    @Override
    public void cancel(String why) {
        if (!promise.isSettled()) {
            all.work().journal().put((eventId, at) -> new CallbackCancelled(eventId, at, number, id));
            close();
            promise.cancelled(new CancelledException(this + " was cancelled: " + why));
        }
    }

    private void close() {
        all.remove(this);
        timer.cancel("the callback is over");
        by.scope().remove(this);
    }

    @Override
    public boolean shielded() {
        return shielded;
    }

    @Override
    public String waitedFor() {
        return this + ", which times out at " + timer.fireAt;
    }

    @Override
    public String toString() {
        return "callback " + number;
    }
}
