package dev.durable;

import dev.durable.internal.replay.call.Combinators;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A value that a workflow will have: the result of a coroutine, an activity call, a timer. For use on the workflow's
 * own coroutines only; not thread-safe.
 *
 * @param <T> what it gives
 */
public interface Promise<T extends @Nullable Object> {

    /**
     * Blocks until the promise has a result or a failure; gives the result or throws the failure.
     *
     * @throws ActivityFailedException where an activity threw a checked exception: the cause
     * @throws PromiseFailedException where a coroutine did: the cause
     */
    T get();

    /**
     * Blocks as {@link #get()} does, and throws a failure of this type as itself: {@code
     * label.get(CardDeclined.class)}.
     */
    <X extends Throwable> T get(Class<X> type) throws X;

    /**
     * Blocks at most that long.
     *
     * @throws WaitTimedOutException when the time is up and the promise has neither a result nor a failure
     */
    T get(Duration timeout);

    /**
     * Cancels it and, for a coroutine, all it started. It ends at once with a {@link CancelledException}; but that of an
     * activity stays open until the outcome where its {@link ActivityCancellationType} says so.
     */
    void cancel();

    /** Returns whether it has a result or a failure. */
    boolean isDone();

    /** A coroutine that goes on with the result. */
    <R extends @Nullable Object> Promise<R> then(Then<? super T, ? extends R> next);

    /** A coroutine that goes on with the result or the failure; one of the two is null. */
    <R extends @Nullable Object> Promise<R> handle(Handle<? super T, ? extends R> next);

    /** A function that is called with a result. */
    @FunctionalInterface
    interface Then<T extends @Nullable Object, R extends @Nullable Object> {
        R apply(T result) throws Exception;
    }

    /** A function that is called with a result or a failure. */
    @FunctionalInterface
    interface Handle<T extends @Nullable Object, R extends @Nullable Object> {
        R apply(@Nullable T result, @Nullable Throwable failure) throws Exception;
    }

    /** Waits for all; fails with the failure that came first, the others go on. Empty is done. */
    static <T extends @Nullable Object> List<T> all(Collection<? extends Promise<? extends T>> promises) {
        return Combinators.all(promises);
    }

    /** Waits for all of these. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    static <T extends @Nullable Object> List<T> all(Promise<? extends T>... promises) {
        return Combinators.all(List.of(promises));
    }

    /**
     * Waits for the first success. When all failed it fails with the failure that came first, which has those of the
     * others as {@linkplain Throwable#getSuppressed() suppressed} ones, in the order in which they came. The others go
     * on. Empty is refused.
     */
    static <T extends @Nullable Object> T any(Collection<? extends Promise<? extends T>> promises) {
        return Combinators.any(promises);
    }

    /** Waits for the first success of these. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    static <T extends @Nullable Object> T any(Promise<? extends T>... promises) {
        return Combinators.any(List.of(promises));
    }

    /** Applies {@code fn} to all items, {@code atOnce} of them at a time; in order; the first failure cancels the rest. */
    static <S extends @Nullable Object, R extends @Nullable Object> List<R> map(
            Collection<? extends S> items, int atOnce, Then<? super S, ? extends R> fn) {
        return Combinators.map(items, atOnce, fn);
    }

    /**
     * Applies {@code fn} to all items, some of which may fail: {@code Promise.map(items, o ->
     * o.atOnce(10).toleratedFailures(3), fn)}. It ends when all items have ended, or as soon as its options are met or
     * can no longer be met; then the items that are under way are cancelled. An item whose function throws has failed,
     * cancellations of its own included; a misuse of the library is no failure of an item and is thrown here.
     *
     * @return the outcome of each item; it throws no failure of theirs: {@link MapResult#throwIfFailed}
     */
    static <S extends @Nullable Object, R extends @Nullable Object> MapResult<S, R> map(
            Collection<? extends S> items, Consumer<MapOptionsBuilder> options, Then<? super S, ? extends R> fn) {
        return Combinators.map(items, options, fn);
    }
}
