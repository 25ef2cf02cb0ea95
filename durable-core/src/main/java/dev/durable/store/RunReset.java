package dev.durable.store;

import dev.durable.ParentClosePolicy;
import dev.durable.history.InboxMessage;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Puts a fork in the place of a run, under the workflow id and in the chain of that run, which must be the newest of its
 * workflow id. Where that run is open it is closed as TERMINATED in the same transaction, with the fork as its next run,
 * so that its parent is not told and its children are not ended; its messages move to the fork, but outcomes of
 * activities and requests to cancel. Where it is closed already, it gets the fork as its next run.
 *
 * @param fork the fork; its first turn has copied events of the run that it replaces, and its place in the tree is that of
 *     that run
 * @param chain the chain of both runs
 * @param nextEventId the number behind the last event that the client has read of the run that is replaced
 * @param closed the end of that run where it is open; ignored where it is closed
 * @param children the children whose outcomes the fork waits for
 * @param sends orders to end the children that began behind the copied events
 */
public record RunReset(
        NewRun fork, UUID chain, long nextEventId, Closed closed, List<Child> children, List<OutgoingMessage> sends) {
    public RunReset {
        children = List.copyOf(children);
        sends = List.copyOf(sends);
    }

    /**
     * The end of an open run whose place a fork takes.
     *
     * @param attributes the attributes of WorkflowTerminated
     * @param failure JSON text for its row
     */
    public record Closed(String attributes, String failure) {
        @Override
        public String toString() {
            return "Closed";
        }
    }

    /**
     * A child that the copied events have started, and whose outcome is not among them. A store tells the fork of its end
     * where it has ended, or was not started and will not be.
     *
     * @param number its number among the children of the chain
     * @param workflowId its workflow id
     * @param chain its chain
     * @param policy what happens to it when the chain has ended
     * @param watched whether the copied events ask for news of its start and have none: a store gives the fork that news
     *     where the child is open
     * @param known the outcome that the replaced run has had, for a store that has no row of the child any more; null
     *     without
     */
    public record Child(
            long number,
            String workflowId,
            UUID chain,
            ParentClosePolicy policy,
            boolean watched,
            @Nullable InboxMessage known) {
        /** Returns the message for the fork where the store has no row of the child, and no order to start it. */
        public InboxMessage notStarted() {
            return known != null
                    ? known
                    : ChildOutcome.notStarted(
                            chain, number, "its parent had ended before it was started, and was forked in its place");
        }

        @Override
        public String toString() {
            return "Child[" + number + ", " + workflowId + ", " + chain + "]";
        }
    }

    /** Returns the run that the fork replaces. */
    public RunKey replaced() {
        return copied().from();
    }

    /** Returns the events that the fork copies. */
    public NewRun.Copied copied() {
        NewRun.Copied copied = fork.firstTurn().copied();
        if (copied == null) {
            throw new IllegalArgumentException(fork + " copies no events");
        }
        return copied;
    }

    @Override
    public String toString() {
        return "RunReset[" + fork + ", " + nextEventId + ", " + children + ", " + sends + "]";
    }

    /** The result of a reset. */
    public enum Outcome {
        /** Written, or written by an earlier send. */
        DONE,
        /**
         * Nothing was written: another run is the newest of the workflow id, or the run has other events than those that
         * the client has read.
         */
        CHANGED,
        /** Nothing was written: the store does not have all events that are to be copied. */
        GONE
    }
}
