package dev.durable.internal.replay.coroutine;

import dev.durable.internal.replay.match.StalledException;
import org.jspecify.annotations.Nullable;

/**
 * The result or failure with which a promise settles, decoded on first use. A payload of the history is decoded when
 * code first reads it: to the declared type, once, and on a coroutine, for the constructors of payload types are user
 * code.
 *
 * @param <T> the type of the result
 */
public final class PromiseOutcome<T extends @Nullable Object> {
    private final boolean succeeded;
    private @Nullable CheckedTask<T> decoding;
    private @Nullable T value;
    private @Nullable Throwable failure;

    private PromiseOutcome(
            boolean succeeded, @Nullable CheckedTask<T> decoding, @Nullable T value, @Nullable Throwable failure) {
        this.succeeded = succeeded;
        this.decoding = decoding;
        this.value = value;
        this.failure = failure;
    }

    public static <T extends @Nullable Object> PromiseOutcome<T> success(T value) {
        return new PromiseOutcome<>(true, null, value, null);
    }

    public static <T extends @Nullable Object> PromiseOutcome<T> succeededWith(CheckedTask<T> decoding) {
        return new PromiseOutcome<>(true, decoding, null, null);
    }

    public static <T extends @Nullable Object> PromiseOutcome<T> failure(Throwable failure) {
        return new PromiseOutcome<>(false, null, null, failure);
    }

    public static <T extends @Nullable Object> PromiseOutcome<T> failedWith(CheckedTask<T> decoding) {
        return new PromiseOutcome<>(false, decoding, null, null);
    }

    boolean succeeded() {
        return succeeded;
    }

    /** Returns the failure, where it is known without decoding. */
    @Nullable
    public Throwable failure() {
        return failure;
    }

    /** Returns the result, or throws the failure unchanged. */
    @SuppressWarnings("NullAway") // a T that allows null
    T get() throws Throwable {
        decodeOnce();
        if (failure != null) {
            throw failure;
        }
        return value;
    }

    private void decodeOnce() {
        CheckedTask<T> todo = decoding;
        if (todo == null) {
            return;
        }
        try {
            value = todo.run();
        } catch (StalledException | Eviction e) {
            throw e;
        } catch (Throwable e) {
            failure = e;
        }
        decoding = null;
    }
}
