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
