package dev.durable;

/**
 * How far a batch of background jobs is.
 *
 * @param total jobs that were enqueued so far
 * @param completed ended with a result
 * @param failed ended without: failed, timed out, cancelled or terminated
 * @param open not ended yet
 */
public record BatchProgress(long total, long completed, long failed, long open) {

    /** How much has ended, 0 to 100; 100 for an empty batch. */
    public double percentDone() {
        return total == 0 ? 100 : 100.0 * (completed + failed) / total;
    }

    /** Which part of what has ended completed, 0 to 1; 1 while nothing has. */
    public double successRate() {
        return completed + failed == 0 ? 1 : (double) completed / (completed + failed);
    }
}
