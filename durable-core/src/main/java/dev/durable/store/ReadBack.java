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
    /** What was found. */
    public enum Outcome {
        /** The run, its event at that id or its close carries this fence: it happened, whatever happened after. */
        HAPPENED,
        /**
         * No event stands at that id, and the run is open (or, for event 1, not there): it did not happen. Send again; if
         * somebody claimed the run meanwhile, that finds the fence lost.
         */
        NOT_HAPPENED,
        /** It did not, and somebody else wrote or closed since. */
        OVERTAKEN
    }

    @Override
    public String toString() {
        return "ReadBack[" + run + ", eventId=" + eventId + "]";
    }
}
