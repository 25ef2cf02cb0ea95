package dev.durable.store;

import dev.durable.client.ActivityState;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Selects activity jobs for listings and operators; null, empty and 0 don't restrict. Ordered as they are locked: by
 * run id, which is by the start of the run, and seq.
 *
 * @param workflowId of its open run
 * @param runId of its run
 * @param seq its number in the run
 * @param workflowType the type of its run
 * @param activity its name
 * @param taskQueue where it is claimed
 * @param states one of these
 * @param minAttempt its current or next attempt is that or a later one
 * @param burial of dead letters and incidents
 * @param after the last job of the page before; null for the first page
 */
public record JobFilter(
        @Nullable String workflowId,
        @Nullable UUID runId,
        @Nullable Integer seq,
        @Nullable String workflowType,
        @Nullable String activity,
        @Nullable String taskQueue,
        Set<ActivityState> states,
        int minAttempt,
        Burial burial,
        @Nullable JobKey after) {

    /** All. */
    public static final JobFilter ALL =
            new JobFilter(null, null, null, null, null, null, Set.of(), 0, new Burial(null, null, null), null);

    public JobFilter {
        states = Set.copyOf(states);
    }

    /**
     * Since when they wait for an operator, and what for.
     *
     * @param fingerprint what they failed like
     * @param from since then or later
     * @param before since before then
     */
    public record Burial(
            @Nullable String fingerprint,
            @Nullable Instant from,
            @Nullable Instant before) {}

    /** Exactly this one. */
    public static JobFilter of(JobKey key) {
        return ALL.only(key);
    }

    /** This one, if it is among those wanted. */
    public JobFilter only(JobKey key) {
        return runId(key.run().runId()).seq(key.seq());
    }

    /** Whether it names one job. */
    public boolean isOne() {
        return seq != null && (runId != null || workflowId != null);
    }

    public JobFilter workflowId(String value) {
        return new JobFilter(value, runId, seq, workflowType, activity, taskQueue, states, minAttempt, burial, after);
    }

    public JobFilter runId(UUID value) {
        return new JobFilter(
                workflowId, value, seq, workflowType, activity, taskQueue, states, minAttempt, burial, after);
    }

    public JobFilter seq(int value) {
        return new JobFilter(
                workflowId, runId, value, workflowType, activity, taskQueue, states, minAttempt, burial, after);
    }

    public JobFilter workflowType(String value) {
        return new JobFilter(workflowId, runId, seq, value, activity, taskQueue, states, minAttempt, burial, after);
    }

    public JobFilter activity(String value) {
        return new JobFilter(workflowId, runId, seq, workflowType, value, taskQueue, states, minAttempt, burial, after);
    }

    public JobFilter taskQueue(String value) {
        return new JobFilter(workflowId, runId, seq, workflowType, activity, value, states, minAttempt, burial, after);
    }

    public JobFilter states(Set<ActivityState> value) {
        return new JobFilter(
                workflowId, runId, seq, workflowType, activity, taskQueue, value, minAttempt, burial, after);
    }

    public JobFilter minAttempt(int value) {
        return new JobFilter(workflowId, runId, seq, workflowType, activity, taskQueue, states, value, burial, after);
    }

    public JobFilter fingerprint(String value) {
        return burial(new Burial(value, burial.from(), burial.before()));
    }

    public JobFilter buriedFrom(Instant value) {
        return burial(new Burial(burial.fingerprint(), value, burial.before()));
    }

    public JobFilter buriedBefore(Instant value) {
        return burial(new Burial(burial.fingerprint(), burial.from(), value));
    }

    public JobFilter after(JobKey value) {
        return new JobFilter(
                workflowId, runId, seq, workflowType, activity, taskQueue, states, minAttempt, burial, value);
    }

    private JobFilter burial(Burial value) {
        return new JobFilter(
                workflowId, runId, seq, workflowType, activity, taskQueue, states, minAttempt, value, after);
    }
}
