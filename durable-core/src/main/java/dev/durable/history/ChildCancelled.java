package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A child ended cancelled.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param number the number of the child
 * @param messageId id of the message that brought it: the child's chain
 * @param failure says who cancelled it and why; null where its row has none
 */
public record ChildCancelled(
        long id,
        Instant at,
        long number,
        UUID messageId,
        @Nullable Failure failure) implements HistoryEvent.ChildClosed {}
