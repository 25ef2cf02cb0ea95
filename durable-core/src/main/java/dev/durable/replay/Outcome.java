package dev.durable.replay;

import org.jspecify.annotations.Nullable;

/**
 * The result or failure with which a promise settles, decoded on first use. What came from the history is decoded when
 * somebody asks first: to the declared type, once, and on a coroutine, for the constructors of payload types are user
 * code.
 *
 * @param <T> what it gives
 */
final class Outcome<T extends @Nullable Object> {
    private final boolean succeeded;
    private @Nullable Task<T> decoding;
    private @Nullable T value;
    private @Nullable Throwable failure;

    private Outcome(boolean succeeded, @Nullable Task<T> decoding, @Nullable T value, @Nullable Throwable failure) {
        this.succeeded = succeeded;
        this.decoding = decoding;
        this.value = value;
        this.failure = failure;
    }

    static <T extends @Nullable Object> Outcome<T> success(T value) {
        return new Outcome<>(true, null, value, null);
    }

    static <T extends @Nullable Object> Outcome<T> succeededWith(Task<T> decoding) {
        return new Outcome<>(true, decoding, null, null);
    }

    static <T extends @Nullable Object> Outcome<T> failure(Throwable failure) {
        return new Outcome<>(false, null, null, failure);
    }

    static <T extends @Nullable Object> Outcome<T> failedWith(Task<T> decoding) {
        return new Outcome<>(false, decoding, null, null);
    }

    boolean succeeded() {
        return succeeded;
    }

    /** The failure, where it is known without decoding. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The result, or the failure thrown as it is. */
    @SuppressWarnings("NullAway") // a T that allows null
    T get() throws Throwable {
        decodeOnce();
        if (failure != null) {
            throw failure;
        }
        return value;
    }

    private void decodeOnce() {
        Task<T> todo = decoding;
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
