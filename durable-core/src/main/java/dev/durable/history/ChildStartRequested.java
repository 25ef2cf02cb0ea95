package dev.durable.history;

import dev.durable.ChildOptions;
import dev.durable.RetryPolicy;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The code started a child, by {@code Durable.startChild(…)}. The order to start it is written with the transition that
 * records this event, and is delivered after its commit. No event tells of a start that succeeds unless the code asks
 * for it: {@link ChildStartWatched}.
 *
 * @param id its place in the history
 * @param at when
 * @param number its number among the children of the chain, from 1
 * @param message the number of the order among the messages that the chain has sent to workflows
 * @param workflowId the workflow id of the child
 * @param runId the id of the child's first run, which is the id of its chain
 * @param workflowType the child's type
 * @param taskQueue its task queue
 * @param input the arguments of its run method, a JSON array
 * @param options its other options, without id, task queue and retry policy
 * @param retry its retry policy; null for one attempt
 */
public record ChildStartRequested(
        long id,
        Instant at,
        long number,
        long message,
        String workflowId,
        UUID runId,
        String workflowType,
        String taskQueue,
        Payload input,
        ChildOptions options,
        @Nullable RetryPolicy retry)
        implements HistoryEvent.Command {

    /** This event with other options. */
    public ChildStartRequested withOptions(ChildOptions others) {
        return new ChildStartRequested(
                id, at, number, message, workflowId, runId, workflowType, taskQueue, input, others, retry);
    }
}
