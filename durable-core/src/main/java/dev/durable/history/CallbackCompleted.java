package dev.durable.history;

import java.time.Instant;
import java.util.UUID;

/**
 * The holder of a callback's token completed the callback.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param callback the id of the callback
 * @param result the value
 * @param readable whether the value was read as the callback's type when it was fed; one that can't be read is recorded
 *     as {@link CallbackFailed}. False in messages, and in histories of versions that decided it at each replay
 */
public record CallbackCompleted(long id, Instant at, UUID callback, Payload result, boolean readable)
        implements HistoryEvent.CallbackEnded {

    /** A value that no run has read yet. */
    public CallbackCompleted(long id, Instant at, UUID callback, Payload result) {
        this(id, at, callback, result, false);
    }
}
