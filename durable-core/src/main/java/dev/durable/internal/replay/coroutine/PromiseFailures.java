package dev.durable.internal.replay.coroutine;

import dev.durable.ActivityFailedException;
import dev.durable.PromiseFailedException;
import dev.durable.store.Thrown;

/** Converts the failure of a promise into the unchecked exception that {@code get()} throws. */
final class PromiseFailures {
    private PromiseFailures() {}

    /**
     * Returns an unchecked failure unchanged. A checked one becomes the cause of an {@link ActivityFailedException}
     * where an activity threw it, so that one catch covers all failed activities, else of a {@link
     * PromiseFailedException}.
     */
    static RuntimeException unchecked(DurablePromise<?> promise, Throwable failure) {
        return switch (failure) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default ->
                Thrown.of(failure).suppressed().stream()
                        .filter(ActivityFailedException.class::isInstance)
                        .map(ActivityFailedException.class::cast)
                        .findFirst()
                        .<RuntimeException>map(details -> withCause(details, failure))
                        .orElseGet(() -> new PromiseFailedException(
                                promise + " failed: " + Thrown.of(failure).text(), failure));
        };
    }

    private static ActivityFailedException withCause(ActivityFailedException details, Throwable cause) {
        String message = Thrown.of(details).words();
        return new ActivityFailedException(
                message, details.activity(), details.seq(), details.attempt(), details.failure(), cause);
    }
}
