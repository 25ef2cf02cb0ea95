package dev.durable;

import dev.durable.internal.text.Thrown;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a {@code Promise.map} some of whose items may fail. Each item is in one of the three lists, in the
 * order of the items.
 *
 * @param successes the items that succeeded
 * @param failures the items that failed
 * @param unfinished the items that were cancelled, or never begun, because the map ended before
 * @param succeeded whether the map reached what its options ask for
 * @param <S> the type of the items
 * @param <R> the type of the results
 */
public record MapResult<S extends @Nullable Object, R extends @Nullable Object>(
        List<Success<S, R>> successes, List<Failed<S>> failures, List<S> unfinished, boolean succeeded) {
    private static final int SUPPRESSED = 10;

    /**
     * An item that succeeded.
     *
     * @param index its place among the items, from 0
     */
    public record Success<S extends @Nullable Object, R extends @Nullable Object>(int index, S item, R result) {
        @Override
        public String toString() {
            return "Success[index=" + index + "]";
        }
    }

    /**
     * An item that failed.
     *
     * @param index its place among the items, from 0
     * @param failure the exception as the function threw it
     */
    public record Failed<S extends @Nullable Object>(int index, S item, Throwable failure) {
        @Override
        public String toString() {
            return "Failed[index=" + index + "]";
        }
    }

    public MapResult {
        successes = List.copyOf(successes);
        failures = List.copyOf(failures);
        unfinished = Collections.unmodifiableList(unfinished);
    }

    /** Returns the results of the items that succeeded, in the order of the items. */
    public List<R> results() {
        return successes.stream().<R>map(Success::result).toList();
    }

    /**
     * Returns this outcome, if the map succeeded.
     *
     * @throws PromiseFailedException if it did not: its cause is the first failure in the order of the items, and the
     *     next ones, at most ten, are its suppressed exceptions
     */
    public MapResult<S, R> throwIfFailed() {
        if (succeeded) {
            return this;
        }
        Failed<S> first = failures.isEmpty() ? null : failures.getFirst();
        PromiseFailedException failed = new PromiseFailedException(
                "Promise.map did not succeed: of " + (successes.size() + failures.size() + unfinished.size())
                        + " items " + successes.size() + " succeeded, " + failures.size() + " failed, and "
                        + unfinished.size() + " were cancelled or not begun."
                        + (first == null
                                ? " There are fewer items than minSuccessful asks for."
                                : " The first failure is that of item " + first.index() + ": "
                                        + Thrown.of(first.failure()).text()),
                first == null ? null : first.failure());
        failures.stream().skip(1).limit(SUPPRESSED).map(Failed::failure).forEach(failed::addSuppressed);
        throw failed;
    }

    @Override
    public String toString() {
        return "MapResult[" + successes.size() + " succeeded, " + failures.size() + " failed, " + unfinished.size()
                + " unfinished]";
    }
}
