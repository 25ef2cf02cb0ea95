package dev.durable.internal.replay.coroutine;

import dev.durable.CancelledException;
import java.time.Instant;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One wait of one coroutine, for promises or a condition, perhaps with a time limit. It ends once: by a promise that is
 * enough, by its condition, by cancellation.
 */
public final class CoroutineWait implements SettleListener {
    final Coroutine coroutine;
    public final WaitCondition what;
    public final Instant since;

    private final Dispatcher dispatcher;
    private final Collection<? extends DurablePromise<?>> promises;
    private final Predicate<DurablePromise<?>> enough;
    private final @Nullable BooleanSupplier condition;
    private @Nullable RuntimeException failure;
    private @Nullable String cancelled;
    private boolean over;

    public CoroutineWait(Coroutine coroutine, WaitCondition what, Instant since, Dispatcher dispatcher) {
        this.coroutine = coroutine;
        this.what = what;
        this.since = since;
        this.dispatcher = dispatcher;
        this.promises = what.promises();
        this.enough = what.enough();
        this.condition = what.condition();
    }

    /** Adds the wait to its promises or to the conditions. */
    public void begin() {
        coroutine.waitsFor(this);
        promises.forEach(promise -> promise.listen(this));
        if (condition != null) {
            dispatcher.conditions().add(this);
        }
    }

    @Override
    public void settled(DurablePromise<?> promise) {
        if (!over && enough.test(promise)) {
            end();
            dispatcher.ready(coroutine);
        }
    }

    /** Returns whether its condition holds; one that throws ends the wait too, as the exception is its coroutine's. */
    boolean holds() {
        try {
            if (condition == null || !condition.getAsBoolean()) {
                return false;
            }
        } catch (RuntimeException e) {
            failure = e;
        }
        end();
        return true;
    }

    /** Returns whether its condition is true, without ending the wait. */
    boolean looksTrue() {
        return condition != null && condition.getAsBoolean();
    }

    /** Ends the wait; its coroutine goes on with a {@link CancelledException}. */
    void cancel(String why) {
        cancelled = why;
        end();
        dispatcher.ready(coroutine);
    }

    /** Returns whether the end of this wait brings its coroutine a cancellation. */
    public boolean endedByCancel() {
        return cancelled != null || promises.stream().anyMatch(DurablePromise::wasCancelled);
    }

    /** Throws the exception with which the wait ended, where it did not succeed. */
    public void throwFailure() {
        if (cancelled != null) {
            throw new CancelledException(cancelled);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void end() {
        over = true;
        coroutine.waitsFor(null);
        promises.forEach(promise -> promise.unlisten(this));
        if (condition != null) {
            dispatcher.conditions().remove(this);
        }
    }
}
