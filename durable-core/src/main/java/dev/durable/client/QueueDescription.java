package dev.durable.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The current state of a task queue: how many jobs are in which state, its limits and its pause.
 *
 * @param taskQueue its name
 * @param ready jobs that can be begun
 * @param waiting jobs that wait until their limit key lets them through
 * @param delayed jobs that wait for their time: that of a retry, or the end of the delay they were enqueued with
 * @param running jobs that are being run
 * @param dead jobs that no worker will run until an operator says so
 * @param openRuns workflow runs of this queue
 * @param oldestWaitingSince since when the oldest ready or waiting job waits; null without one
 * @param paused whether it is paused now
 * @param resumeAt when that ends by itself; null is not
 * @param limits its limits
 * @param atLeast whether there may be more than the counts say: of ready, waiting, delayed and dead jobs a database counts
 *     10,000 each, and with more than 10,000 open runs {@code openRuns} comes from a sample
 */
public record QueueDescription(
        String taskQueue,
        long ready,
        long waiting,
        long delayed,
        long running,
        long dead,
        long openRuns,
        @Nullable Instant oldestWaitingSince,
        boolean paused,
        @Nullable Instant resumeAt,
        QueueLimits limits,
        boolean atLeast) {

    /** Jobs that are not begun: ready, waiting or delayed; with {@link #atLeast} there may be more. */
    public long depth() {
        return ready + waiting + delayed;
    }
}
