package dev.durable.history;

import dev.durable.client.WorkflowStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A child failed, timed out or was terminated.
 *
 * @param id its place in the history
 * @param at when it was fed to the run
 * @param number the number of the child
 * @param messageId id of the message that brought it: the child's chain
 * @param status how the child ended: FAILED, TIMED_OUT or TERMINATED
 * @param failure the child's failure; null where its row has none
 */
public record ChildFailed(
        long id,
        Instant at,
        long number,
        UUID messageId,
        WorkflowStatus status,
        @Nullable Failure failure) implements HistoryEvent.ChildClosed {}
