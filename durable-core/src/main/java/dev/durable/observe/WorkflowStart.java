package dev.durable.observe;

import java.util.UUID;

/**
 * The answer to a start.
 *
 * @param workflowType the type; {@code durable.job} for background jobs
 * @param workflowId the business identity
 * @param runId of the run that was to be started
 * @param how which way it took
 * @param outcome the store's answer
 */
public record WorkflowStart(String workflowType, String workflowId, UUID runId, How how, Outcome outcome) {

    /** The ways of a start. */
    public enum How {
        /** Its first turn was made here and written in the same commit. */
        EAGER,
        /** It was written as it is; a worker makes the first turn. */
        DIRECT,
        /** It was written into the caller's transaction, which decides. */
        JOINED
    }

    /** The store's answers to a start. */
    public enum Outcome {
        STARTED,
        /** A run of this workflow id is open; its policy says whether that is an error. */
        ALREADY_OPEN,
        /** The reuse policy allows no other run. */
        REFUSED
    }
}
