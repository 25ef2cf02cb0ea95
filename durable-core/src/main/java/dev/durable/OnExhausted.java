package dev.durable;

import dev.durable.client.DurableClient;

/**
 * The end of an activity that used up its attempts. Used up are: the attempts of its policy, those that the failure
 * itself left ({@link RetryableException}), {@link RetryIf} that says no, worker crashes, a timeout of the last attempt, and
 * arguments or a result that can't be written.
 *
 * <p>Two things always reach the workflow, whatever is set here: a {@link NonRetryableException} or a type of {@code
 * doNotRetry}, which is an answer and no breakdown (a background job has no code to answer, there it counts as used up); and
 * schedule-to-close, which is how long the caller is willing to wait.
 */
public enum OnExhausted {
    /**
     * The activity fails: the workflow's code gets {@link ActivityFailedException}. A poison pill becomes a dead letter. A
     * background job ends as failed, and no alert is raised: {@link DurableClient#enqueueAgain(String)} brings it back.
     */
    FAIL,
    /** The job stays as an incident, the run waits: {@code client.incidents()} resolves it. Never purged. */
    INCIDENT,
    /**
     * The job stays as a dead letter, the run waits until it is resolved or purged: {@code client.deadLetters()}. The default of
     * background jobs.
     */
    DEAD_LETTER,
    /** The activity ends as if it had returned null. Not for methods that return a primitive. */
    DISCARD
}
