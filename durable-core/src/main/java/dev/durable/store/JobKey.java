package dev.durable.store;

import java.util.Comparator;

/**
 * Identifies an activity job: its run and the activity's number in it.
 *
 * @param run the run that scheduled it
 * @param seq the activity's number in the run
 */
public record JobKey(RunKey run, int seq) {
    /** The order in which jobs are locked: (run id as the database compares it, seq). */
    public static final Comparator<JobKey> LOCK_ORDER = Comparator.<JobKey, java.util.UUID>comparing(
                    k -> k.run().runId(), RunIds.ORDER)
            .thenComparingInt(JobKey::seq);
}
