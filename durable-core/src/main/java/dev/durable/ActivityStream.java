package dev.durable;

import org.jspecify.annotations.Nullable;

/**
 * A stream of the workflow's chain as the attempt of an activity sees it: {@link ActivityContext#stream(String, Class)}.
 * Entries are written at once and stay, whatever becomes of the attempt.
 *
 * <p>Thread-safe. Calls for one stream write one after the other.
 *
 * @param <T> the type of its values
 */
public interface ActivityStream<T extends @Nullable Object> {

    /** The name of the stream. */
    String name();

    /**
     * Appends a value, and returns when it is committed and readers can see it. A transactional activity appends
     * outside of its transaction. Counts as a sign of life, as a heartbeat does.
     *
     * @throws PayloadException if the value can't be written as its type, or is too large
     * @throws StreamFullException if the stream takes no more entries of activities
     * @throws CancelledException if the activity was cancelled; the value may be appended all the same
     * @throws StaleAttemptException if this attempt is no longer the current one; nothing is appended
     */
    void append(T value);

    /**
     * The number of entries that earlier attempts of this activity have appended, so that this one can go on behind them.
     * An attempt that is begun once more after its worker was lost counts those of its first beginning, too.
     */
    long appendedBefore();
}
