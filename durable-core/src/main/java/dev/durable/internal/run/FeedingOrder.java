package dev.durable.internal.run;

import dev.durable.history.InboxMessage;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The order in which waiting messages, timers and outcomes are fed to a run. The order is not recorded: a history
 * stands in the order in which its events were fed.
 *
 * <p>A run that ends while messages wait has not seen them, though the store has accepted them from their senders. The
 * turns of such an ending are not written; the run is rebuilt and fed again, in an order in which it sees the messages
 * before it ends.
 */
enum FeedingOrder {
    /** Timers by the time at which they are due, messages by the time at which they were accepted. */
    BY_TIME,
    /** Messages of senders before timers and outcomes. For a run that an outcome or a timer ended while messages waited. */
    MESSAGES_FIRST,
    /**
     * Messages first as in {@link #MESSAGES_FIRST}, and the code goes on only when all of them were handled. For a run
     * that one of the messages ended while others waited: they keep their order.
     */
    MESSAGES_TOGETHER;

    /**
     * Returns whether the message is a sender's, whose acceptance the sender was told: a signal, an update or a request to
     * cancel, not an outcome. A run must see such messages before it ends. A kind that this version does not know stalls the
     * run before it is fed.
     */
    static boolean isFromSender(InboxMessage message) {
        return message.kind().isFromSender();
    }

    /** Returns the message that is to be fed next; null where none waits. */
    @Nullable
    InboxMessage next(Queue<InboxMessage> messages) {
        if (this == BY_TIME) {
            return messages.peek();
        }
        for (InboxMessage message : messages) {
            if (isFromSender(message)) {
                return message;
            }
        }
        return messages.peek();
    }

    /** Returns whether a due timer must not be fed before this message, which is fed next. */
    boolean letsTimersWait(@Nullable InboxMessage next) {
        return this != BY_TIME && next != null && isFromSender(next);
    }

    /** Returns the order for a run that has ended too early when it was fed in this one. */
    static FeedingOrder afterEndedBy(boolean message) {
        return message ? MESSAGES_TOGETHER : MESSAGES_FIRST;
    }
}
