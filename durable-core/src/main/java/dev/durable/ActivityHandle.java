package dev.durable;

import dev.durable.history.History;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One activity as a background job, by {@link DurableClient#enqueue}. It is a run of its own: its id, status and history are
 * found like those of any other. Safe for use by several threads.
 */
public interface ActivityHandle {

    /** The id of the job: the workflow id of its run. */
    String id();

    /** Its run. */
    UUID runId();

    /** The name of its activity: {@code Emails.send}. */
    String activity();

    /** Waits for the job to end. */
    default void await() {
        resultAs(Object.class);
    }

    /**
     * Waits for the job to end and gives its result as this type; null where the activity gives none.
     *
     * @throws ActivityFailedException when its last attempt failed; an exception that the activity's signature names comes
     *     as itself, if it is unchecked
     * @throws WorkflowFailedException when it was cancelled, terminated or timed out
     */
    <T> @Nullable T resultAs(Class<T> type);

    /** The same for a generic type. */
    <T> @Nullable T resultAs(TypeRef<T> type);

    /**
     * The same, but waits no longer than that.
     *
     * @throws WaitTimedOutException when it has not ended by then; it goes on
     */
    <T> @Nullable T resultAs(Class<T> type, Duration timeout);

    /** The result when it comes, without a waiting thread. */
    <T> CompletableFuture<@Nullable T> resultAsync(Class<T> type);

    /** Asks the job to stop: not begun, it never will; running, its body is told. */
    void cancel(String reason);

    /**
     * What an operator can do to it until it has ended: run it now, reschedule it, hold it, change its options, end it with a
     * value or a failure.
     */
    ActivityControl control();

    /** Status, times, attempts, who has it. */
    WorkflowDescription describe();

    /** The history so far. */
    History history();
}
