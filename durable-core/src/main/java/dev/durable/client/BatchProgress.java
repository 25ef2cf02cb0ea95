package dev.durable.client;

import dev.durable.OnExhausted;

/**
 * How far a batch of background jobs is.
 *
 * @param total jobs that were enqueued so far
 * @param completed ended with a result
 * @param failed ended without: failed, timed out, cancelled, terminated or discarded
 * @param open not ended yet
 * @param discarded of those that failed: their attempts were used up and {@link OnExhausted#DISCARD} let them go, or an
 *     operator discarded them
 * @param deadLetters of those that are open: dead letters, which wait for an operator or for the end of their retention
 * @param incidents of those that are open: incidents, which wait for an operator
 */
public record BatchProgress(
        long total, long completed, long failed, long open, long discarded, long deadLetters, long incidents) {

    /** Where none was discarded and none waits for an operator. */
    public BatchProgress(long total, long completed, long failed, long open) {
        this(total, completed, failed, open, 0, 0, 0);
    }

    /**
     * Returns whether no job of the batch goes on by itself: all have ended, or wait for an operator as dead letters or
     * incidents.
     */
    public boolean isAtRest() {
        return open == deadLetters + incidents;
    }

    /** How much has ended, 0 to 100; 100 for an empty batch. */
    public double percentDone() {
        return total == 0 ? 100 : 100.0 * (completed + failed) / total;
    }

    /** Which part of what has ended completed, 0 to 1; 1 while nothing has. */
    public double successRate() {
        return completed + failed == 0 ? 1 : (double) completed / (completed + failed);
    }
}
