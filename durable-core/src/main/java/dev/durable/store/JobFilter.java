package dev.durable.store;

import dev.durable.client.ActivityState;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Selects activity jobs for listings and operators; null, empty and 0 don't restrict. Ordered as they are locked: by
 * run id, which is by the start of the run, and seq.
 *
 * @param workflowId the workflow id of its open run
 * @param runId the id of its run
 * @param seq its number in the run
 * @param workflowType the type of its run
 * @param activity its name
 * @param taskQueue the queue that it is claimed from
 * @param states jobs in one of these states
 * @param minAttempt jobs whose current or next attempt is this one or a later one
 * @param burial since when they wait for an operator, of dead letters and incidents
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

    /** Selects all jobs. */
    public static final JobFilter ALL =
            new JobFilter(null, null, null, null, null, null, Set.of(), 0, new Burial(null, null, null), null);

    public JobFilter {
        states = Set.copyOf(states);
    }

    /**
     * Restricts dead letters and incidents by their failure and by the time since which they wait for an operator.
     *
     * @param fingerprint the fingerprint of their failure
     * @param from waiting since this time or later
     * @param before waiting since before this time
     */
    public record Burial(
            @Nullable String fingerprint,
            @Nullable Instant from,
            @Nullable Instant before) {}

    /** Selects exactly this job. */
    public static JobFilter of(JobKey key) {
        return ALL.only(key);
    }

    /** Selects this job, if it is among those that this filter selects. */
    public JobFilter only(JobKey key) {
        return runId(key.run().runId()).seq(key.seq());
    }

    /** Returns whether the filter names one job. */
    public boolean isOne() {
        return seq != null && (runId != null || workflowId != null);
    }

    public JobFilter workflowId(String value) {
        return with(copy -> copy.workflowId = value);
    }

    public JobFilter runId(UUID value) {
        return with(copy -> copy.runId = value);
    }

    public JobFilter seq(int value) {
        return with(copy -> copy.seq = value);
    }

    public JobFilter workflowType(String value) {
        return with(copy -> copy.workflowType = value);
    }

    public JobFilter activity(String value) {
        return with(copy -> copy.activity = value);
    }

    public JobFilter taskQueue(String value) {
        return with(copy -> copy.taskQueue = value);
    }

    public JobFilter states(Set<ActivityState> value) {
        return with(copy -> copy.states = value);
    }

    public JobFilter minAttempt(int value) {
        return with(copy -> copy.minAttempt = value);
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
        return with(copy -> copy.after = value);
    }

    private JobFilter burial(Burial value) {
        return with(copy -> copy.burial = value);
    }

    private JobFilter with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.made();
    }

    /** The one place that repeats all components, so that each setter names only what it changes. */
    private static final class Copy {
        private @Nullable String workflowId;
        private @Nullable UUID runId;
        private @Nullable Integer seq;
        private @Nullable String workflowType;
        private @Nullable String activity;
        private @Nullable String taskQueue;
        private Set<ActivityState> states;
        private int minAttempt;
        private Burial burial;
        private @Nullable JobKey after;

        Copy(JobFilter from) {
            this.workflowId = from.workflowId;
            this.runId = from.runId;
            this.seq = from.seq;
            this.workflowType = from.workflowType;
            this.activity = from.activity;
            this.taskQueue = from.taskQueue;
            this.states = from.states;
            this.minAttempt = from.minAttempt;
            this.burial = from.burial;
            this.after = from.after;
        }

        JobFilter made() {
            return new JobFilter(
                    workflowId, runId, seq, workflowType, activity, taskQueue, states, minAttempt, burial, after);
        }
    }
}
