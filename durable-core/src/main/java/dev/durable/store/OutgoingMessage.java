package dev.durable.store;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.internal.text.Bounds;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that the code of a run sends to a workflow. It is written with the transition that records the request:
 * into the outbox, or into the run's own inbox where the run sends to its own workflow id.
 *
 * @param source the chain of runs whose code sends it: the run id of its first run, which today is the run itself
 * @param number its number in the chain, from 1; the messages of a chain to one target arrive in this order
 * @param target the workflow id of the target, of which the run that is open at the delivery gets it
 * @param chain the chain of the target, where only a run of that chain is to get the message; null for whichever run of
 *     the workflow id is open
 * @param message the message, with an id that follows from source and number, so that it is one message however often
 *     it is delivered
 */
public record OutgoingMessage(
        UUID source, long number, String target, @Nullable UUID chain, InboxMessage message) {

    /** A message with the id that follows from its source and number. */
    public static OutgoingMessage of(
            UUID source, long number, String target, MessageKind kind, String name, String payload) {
        return toChain(source, number, target, null, kind, name, payload);
    }

    /** A message to a chain, with the id that follows from its source and number. */
    public static OutgoingMessage toChain(
            UUID source,
            long number,
            String target,
            @Nullable UUID chain,
            MessageKind kind,
            String name,
            String payload) {
        return new OutgoingMessage(
                source,
                number,
                target,
                chain,
                new InboxMessage(messageId(source, number), kind, name, payload, null, null));
    }

    /** Returns the message id of a source's message with this number. */
    public static UUID messageId(UUID source, long number) {
        ByteBuffer name = ByteBuffer.allocate(Long.BYTES * 3)
                .putLong(source.getMostSignificantBits())
                .putLong(source.getLeastSignificantBits())
                .putLong(number);
        return UUID.nameUUIDFromBytes(name.array());
    }

    /** The outcome of a child for its parent. */
    public static OutgoingMessage outcome(UUID child, NewRun.Parent parent, InboxMessage outcome) {
        return new OutgoingMessage(child, ChildOutcome.NUMBER, parent.workflowId(), parent.chain(), outcome);
    }

    /** Returns whether the run sends it to its own workflow id, and not to a chain, which is that of a child. */
    public boolean isTo(RunKey run) {
        return chain == null && target.equals(run.workflowId());
    }

    /**
     * Returns the line that a log gets where the message is dropped for want of an open run.
     *
     * @param from the workflow id of the run that has sent it
     */
    public static String dropped(MessageKind kind, String name, String from, String target, String why) {
        return kind + " " + Bounds.shown(name) + " of workflow " + Bounds.shown(from) + " to workflow "
                + Bounds.shown(target) + " is dropped: at its delivery " + why + ". The code that sent it by"
                + " Durable.external(…) is not told. Usual cause: the target had ended, or was not started yet.";
    }
}
