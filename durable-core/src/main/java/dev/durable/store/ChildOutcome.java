package dev.durable.store;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.ChildCancelled;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildFailed;
import dev.durable.history.ChildStartFailed;
import dev.durable.history.ChildStarted;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.json.JsonObjectReader;
import dev.durable.internal.json.JsonObjectWriter;
import dev.durable.internal.text.Bounds;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a store that tell a parent of its child. Their ids follow from the child's chain, so that each is one
 * message however often it is delivered; the outcome, or the refusal of the start, has the chain itself as its id.
 *
 * <p>A store sends the outcome whenever a run that has a parent closes without a successor, whatever closes it: in the
 * transaction of the close, into the outbox, as the last message of the child's chain ({@link #NUMBER}).
 */
public final class ChildOutcome {
    /** The number of an outcome in the outbox: the last of its source, behind all messages of the child's code. */
    public static final long NUMBER = Long.MAX_VALUE;

    private ChildOutcome() {}

    /**
     * Returns the message that tells how the child has ended, from the columns of its row.
     *
     * @param child the child's chain
     * @param number its number among the children of the parent
     */
    public static InboxMessage ended(
            UUID child, long number, WorkflowStatus status, @Nullable String result, @Nullable String failure) {
        String attributes = JsonObjectWriter.object(out -> {
            out.number("number", number);
            switch (status) {
                case COMPLETED -> out.json("result", result == null ? "null" : result);
                case CANCELLED -> failure(out, failure);
                case FAILED, TIMED_OUT, TERMINATED -> failure(out.string("status", status.name()), failure);
                case RUNNING, CONTINUED_AS_NEW ->
                    throw new IllegalArgumentException("a child that is " + status + " has no outcome");
            }
        });
        return message(child, typeOf(status), attributes);
    }

    private static void failure(JsonObjectWriter out, @Nullable String failure) {
        if (failure != null) {
            out.json("failure", failure);
        }
    }

    /** Returns the type of the event that tells a parent of a child with this status. */
    public static String typeOf(WorkflowStatus status) {
        return switch (status) {
            case COMPLETED -> ChildCompleted.class.getSimpleName();
            case CANCELLED -> ChildCancelled.class.getSimpleName();
            case FAILED, TIMED_OUT, TERMINATED -> ChildFailed.class.getSimpleName();
            case RUNNING, CONTINUED_AS_NEW ->
                throw new IllegalArgumentException("a child that is " + status + " has no outcome");
        };
    }

    /** Returns the answer to a {@link MessageKind#CHILD_WATCH}. */
    public static InboxMessage started(UUID child, long number) {
        return message(
                new UUID(child.getMostSignificantBits(), ~child.getLeastSignificantBits()),
                ChildStarted.class.getSimpleName(),
                JsonObjectWriter.object(out -> out.number("number", number)));
    }

    /**
     * Returns the answer to a {@link MessageKind#CHILD_WATCH}.
     *
     * @param watch the payload of the question, which has the number of the child
     */
    public static InboxMessage started(UUID child, String watch) {
        return started(child, JsonObjectReader.of(watch).number("number"));
    }

    /** Returns the message that the child was not started. */
    public static InboxMessage notStarted(UUID child, long number, String reason) {
        return message(
                child,
                ChildStartFailed.class.getSimpleName(),
                JsonObjectWriter.object(out -> out.number("number", number).string("reason", reason)));
    }

    /** Returns the reason for which a start was refused, for {@link #notStarted}. */
    public static String reason(String workflowId, StartOutcome refusal) {
        return switch (refusal) {
            case StartOutcome.AlreadyOpen open ->
                "workflow " + Bounds.shown(workflowId) + " is open: run " + open.runId() + " of type " + open.type();
            case StartOutcome.Refused refused ->
                "the reuse policy allows no other run of workflow " + Bounds.shown(workflowId) + " after run "
                        + refused.latestRunId() + ", which is " + refused.latestStatus();
            case StartOutcome.Started ignored -> throw new IllegalArgumentException("a start that succeeded");
            case StartOutcome.Locked ignored -> throw new IllegalArgumentException("a start that is to be sent again");
        };
    }

    private static InboxMessage message(UUID id, String type, String attributes) {
        return new InboxMessage(id, MessageKind.CHILD_OUTCOME, type, attributes, null, null);
    }
}
