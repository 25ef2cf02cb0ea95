package dev.durable.store;

import dev.durable.ActivityState;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs are wanted; null, empty and 0 say nothing. Ordered as they are locked: by run id, which is by the start of
 * the run, and seq.
 *
 * @param workflowId of its open run
 * @param runId of its run
 * @param seq its number in the run
 * @param activity its name
 * @param taskQueue where it is claimed
 * @param states one of these
 * @param minAttempt its current or next attempt is that or a later one
 * @param fingerprint what it failed like, of dead letters and incidents
 * @param after the last job of the page before; null for the first page
 */
public record JobFilter(
        @Nullable String workflowId,
        @Nullable UUID runId,
        @Nullable Integer seq,
        @Nullable String activity,
        @Nullable String taskQueue,
        Set<ActivityState> states,
        int minAttempt,
        @Nullable String fingerprint,
        @Nullable JobKey after) {

    /** All. */
    public static final JobFilter ALL = new JobFilter(null, null, null, null, null, Set.of(), 0, null, null);

    public JobFilter {
        states = Set.copyOf(states);
    }

    /** Exactly this one. */
    public static JobFilter of(JobKey key) {
        return new JobFilter(null, key.run().runId(), key.seq(), null, null, Set.of(), 0, null, null);
    }

    public JobFilter workflowId(String value) {
        return new JobFilter(value, runId, seq, activity, taskQueue, states, minAttempt, fingerprint, after);
    }

    public JobFilter runId(UUID value) {
        return new JobFilter(workflowId, value, seq, activity, taskQueue, states, minAttempt, fingerprint, after);
    }

    public JobFilter seq(int value) {
        return new JobFilter(workflowId, runId, value, activity, taskQueue, states, minAttempt, fingerprint, after);
    }

    public JobFilter activity(String value) {
        return new JobFilter(workflowId, runId, seq, value, taskQueue, states, minAttempt, fingerprint, after);
    }

    public JobFilter taskQueue(String value) {
        return new JobFilter(workflowId, runId, seq, activity, value, states, minAttempt, fingerprint, after);
    }

    public JobFilter states(Set<ActivityState> value) {
        return new JobFilter(workflowId, runId, seq, activity, taskQueue, value, minAttempt, fingerprint, after);
    }

    public JobFilter minAttempt(int value) {
        return new JobFilter(workflowId, runId, seq, activity, taskQueue, states, value, fingerprint, after);
    }

    public JobFilter fingerprint(String value) {
        return new JobFilter(workflowId, runId, seq, activity, taskQueue, states, minAttempt, value, after);
    }

    public JobFilter after(JobKey value) {
        return new JobFilter(workflowId, runId, seq, activity, taskQueue, states, minAttempt, fingerprint, value);
    }
}
