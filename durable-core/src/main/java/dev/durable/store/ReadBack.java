package dev.durable.store;

import java.util.UUID;

/**
 * The question whether a transition or a start whose COMMIT gave no answer happened.
 *
 * @param run the run
 * @param fence the new fence that the attempt would have set
 * @param eventId id of the first event that it would have written
 */
public record ReadBack(RunKey run, UUID fence, long eventId) {
    public enum Outcome {
        /** The run, its event at that id or its close has this fence: it happened, whatever happened afterwards. */
        HAPPENED,
        /**
         * No event stands at that id, and the run is open (or, for event 1, not there): it did not happen. Send it
         * again; if another process has claimed the run meanwhile, the answer will be that the fence is lost.
         */
        NOT_HAPPENED,
        /** It did not happen, and another process has written to the run or closed it since. */
        OVERTAKEN
    }

    @Override
    public String toString() {
        return "ReadBack[" + run + ", eventId=" + eventId + "]";
    }
}
