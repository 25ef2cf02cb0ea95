package dev.durable.store;

import java.time.Duration;

/**
 * Computes the rank of a job in its queue from its ready time and its priority. A job's rank is the time from which it
 * could be claimed, less {@link #STEP} for each point of its priority; claims take the lowest rank first. So a point of
 * priority is worth ten seconds of waiting, and no stream of more important work, however long, holds up a job for more
 * than the difference of their priorities times the step (and what is before it in the queue). Ranks are stored: the
 * order is a plain index.
 *
 * <p>A change of {@link #STEP} must rewrite the ranks that are stored, and the view {@code v_queue}, which contains the
 * number, too.
 */
public final class Aging {
    /** The waiting time that one point of priority is worth. */
    public static final Duration STEP = Duration.ofSeconds(10);

    private Aging() {}
}
