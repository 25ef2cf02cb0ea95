package dev.durable.internal.run;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Counts the runs that have stalled in this process within the last two minutes, for the worker's status. A stalled run
 * is tried again within a minute, here or in another process: one that has not stalled again for two minutes goes on,
 * or stalls elsewhere. So the count needs no report that a run went on.
 */
final class StalledRuns {
    private static final Duration LATELY = Duration.ofMinutes(2);
    private static final int MOST = 10_000;

    /** The times of the stalls, the latest one last. */
    private final Map<UUID, Instant> stalledAt = new LinkedHashMap<>();

    synchronized void stalled(UUID runId, Instant now) {
        stalledAt.remove(runId);
        stalledAt.put(runId, now);
        forgetBefore(now);
    }

    synchronized int count(Instant now) {
        forgetBefore(now);
        return stalledAt.size();
    }

    private void forgetBefore(Instant now) {
        Instant lately = now.minus(LATELY);
        var oldest = stalledAt.values().iterator();
        boolean more = oldest.hasNext();
        while (more) {
            boolean forgotten = oldest.next().isBefore(lately) || stalledAt.size() > MOST;
            if (forgotten) {
                oldest.remove();
            }
            more = forgotten && oldest.hasNext();
        }
    }
}
