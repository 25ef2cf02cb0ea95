package dev.durable.internal.replay.call;

import dev.durable.ActivityFailedException;
import dev.durable.ActivityTimedOutException;
import dev.durable.CancelledException;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.Failure;
import dev.durable.history.TimeoutType;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.coroutine.HistoryDecoder;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Converts an activity's closing event into the value or exception that the calling workflow code gets. */
final class ActivityOutcomes {
    private final HistoryDecoder decoder;
    private final FailureCodec failures;
    private final ClassLoader loader;

    ActivityOutcomes(HistoryDecoder decoder, FailureCodec failures, ClassLoader loader) {
        this.decoder = decoder;
        this.failures = failures;
        this.loader = loader;
    }

    PromiseOutcome<@Nullable Object> completed(ActivityCall call, ActivityCompleted event) {
        return PromiseOutcome.succeededWith(
                () -> decoder.decode(event.result(), call.resultType(), "the result of " + call.name()));
    }

    /**
     * Decodes a failure: as an instance of its class where the signature names it, with the details suppressed; else as
     * data.
     */
    PromiseOutcome<@Nullable Object> failed(ActivityCall call, ActivityFailed event) {
        return PromiseOutcome.failedWith(() -> {
            Throwable original = failures.decode(event.failure(), call.named(), loader);
            boolean named = call.named().stream().anyMatch(type -> type.isInstance(original));
            ActivityFailedException details = new ActivityFailedException(
                    message(call, event),
                    call.name(),
                    event.seq(),
                    event.attempt(),
                    event.failure(),
                    // DurablePromise knows the details beside an exception by their lack of a cause.
                    named ? null : original);
            if (named) {
                original.addSuppressed(details);
                throw original;
            }
            throw details;
        });
    }

    PromiseOutcome<@Nullable Object> timedOut(ActivityCall call, ActivityTimedOut event) {
        String message = call.name() + " (activity " + event.seq() + ") " + what(call, event);
        return PromiseOutcome.failedWith(() -> {
            throw new ActivityTimedOutException(
                    message, call.name(), event.seq(), event.attempt(), event.timeout(), event.lastFailure());
        });
    }

    /**
     * Returns the message of a timeout, made only of recorded data, for code may pass it on; recorded messages of older
     * releases stay as they are.
     */
    private static String what(ActivityCall call, ActivityTimedOut event) {
        if (event.timeout() == TimeoutType.EXPIRY) {
            return "expired at " + call.options().expiresAt() + ": no worker had begun it by then";
        }
        String when = event.attempt() == 0
                ? " before an attempt of it had ended"
                : " in attempt " + event.attempt() + ", and its policy allows no further one";
        Failure last = event.lastFailure();
        return "ran out of its "
                + event.timeout().name().toLowerCase(Locale.ROOT).replace('_', '-') + " timeout" + when
                + (last == null ? "" : "; before that " + last.typeAndMessage());
    }

    /** Decodes a cancellation from outside; a cancellation by the code itself has settled the promise at once. */
    PromiseOutcome<@Nullable Object> cancelled(ActivityCall call, ActivityCancelled event) {
        return PromiseOutcome.failure(
                new CancelledException(call.name() + " (activity " + event.seq() + ") was cancelled"));
    }

    private static String message(ActivityCall call, ActivityFailed event) {
        Failure failure = event.failure();
        return call.name() + " (activity " + event.seq() + ") failed in attempt " + event.attempt() + ": "
                + failure.type() + (failure.message() == null ? "" : ": " + failure.message());
    }
}
