package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a callback's token let the callback fail, or completed it with a value that the run could not read.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param callback the id of the callback
 * @param failure the failure
 * @param value the value that could not be read as the callback's type; null where the holder let it fail
 */
public record CallbackFailed(
        long id,
        Instant at,
        UUID callback,
        Failure failure,
        @Nullable Payload value) implements HistoryEvent.CallbackEnded {

    /** A failure that the holder of the token has chosen. */
    public CallbackFailed(long id, Instant at, UUID callback, Failure failure) {
        this(id, at, callback, failure, null);
    }
}
