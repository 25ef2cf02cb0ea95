package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.ChildFailedException;
import dev.durable.ChildNotStartedException;
import dev.durable.history.ChildCancelled;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildFailed;
import dev.durable.history.ChildStartFailed;
import dev.durable.history.Failure;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.coroutine.HistoryDecoder;
import dev.durable.internal.replay.coroutine.PromiseOutcome;
import java.lang.reflect.Type;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Converts the end of a child into the value or exception that the code of its parent gets. */
final class ChildOutcomes {
    private final HistoryDecoder decoder;
    private final FailureCodec failures;
    private final ClassLoader loader;

    ChildOutcomes(HistoryDecoder decoder, FailureCodec failures, ClassLoader loader) {
        this.decoder = decoder;
        this.failures = failures;
        this.loader = loader;
    }

    PromiseOutcome<@Nullable Object> completed(OpenChild child, ChildCompleted event) {
        return PromiseOutcome.succeededWith(
                () -> result(child, event, child.target().resultType()));
    }

    @Nullable
    Object result(OpenChild child, ChildCompleted event, Type type) throws Throwable {
        return decoder.decode(event.result(), type, "the result of " + child);
    }

    /**
     * Decodes a failure: as an instance of its class where the run method names it, with the details suppressed; else as
     * data.
     */
    PromiseOutcome<@Nullable Object> failed(OpenChild child, ChildFailed event) {
        return PromiseOutcome.failedWith(() -> {
            Failure failure = event.failure();
            Throwable original = failure == null
                    ? null
                    : failures.decode(failure, child.target().named(), loader);
            boolean named = child.target().named().stream().anyMatch(type -> type.isInstance(original));
            ChildFailedException details = new ChildFailedException(
                    message(child, event),
                    child.workflowId,
                    child.target().type(),
                    event.status(),
                    failure,
                    named ? null : original);
            if (named && original != null) {
                original.addSuppressed(details);
                throw original;
            }
            throw details;
        });
    }

    private static String message(OpenChild child, ChildFailed event) {
        Failure failure = event.failure();
        String how = event.status().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return child + " ended " + how + (failure == null ? "" : ": " + failure.typeAndMessage());
    }

    /** Decodes a cancellation from outside; the promise of one by the code itself says the code's reason. */
    PromiseOutcome<@Nullable Object> cancelled(OpenChild child, ChildCancelled event) {
        Failure failure = event.failure();
        return PromiseOutcome.failure(
                new CancelledException(child + " ended cancelled" + (failure == null ? "" : ": " + failure.message())));
    }

    <T extends @Nullable Object> PromiseOutcome<T> notStarted(OpenChild child, ChildStartFailed event) {
        return PromiseOutcome.failedWith(() -> {
            throw new ChildNotStartedException(
                    child + " was not started: " + event.reason(),
                    child.workflowId,
                    child.target().type());
        });
    }
}
