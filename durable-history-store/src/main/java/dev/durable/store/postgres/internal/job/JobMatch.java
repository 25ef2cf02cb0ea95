package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.jooq.Tables.ACTIVITY_JOB;
import static dev.durable.store.postgres.internal.jooq.Tables.RUN_STATE;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.select;

import dev.durable.client.ActivityState;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.RunIds;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jooq.Condition;
import org.jspecify.annotations.Nullable;

/** Converts a {@link JobFilter} to conditions on {@code activity_job}. */
public final class JobMatch {
    private JobMatch() {}

    public static Condition matches(JobFilter filter) {
        return said(filter.workflowId(), JobMatch::ofWorkflow)
                .and(said(filter.runId(), JobMatch::ofRun))
                .and(said(filter.seq(), ACTIVITY_JOB.SEQ::eq))
                .and(said(filter.workflowType(), ACTIVITY_JOB.WORKFLOW_TYPE::eq))
                .and(said(filter.activity(), ACTIVITY_JOB.ACTIVITY::eq))
                .and(said(filter.taskQueue(), ACTIVITY_JOB.TASK_QUEUE::eq))
                .and(in(filter.states()))
                .and(filter.minAttempt() > 0 ? ACTIVITY_JOB.ATTEMPT.ge(filter.minAttempt()) : noCondition())
                .and(buried(filter.burial()))
                .and(said(filter.after(), JobMatch::after));
    }

    private static <T> Condition said(@Nullable T value, Function<T, Condition> condition) {
        return value == null ? noCondition() : condition.apply(value);
    }

    /** Restricts to jobs of the open run of a workflow id. */
    private static Condition ofWorkflow(String workflowId) {
        short shard = (short) RunIds.shardOf(workflowId);
        return ACTIVITY_JOB
                .RUN_ID
                .in(select(RUN_STATE.RUN_ID)
                        .from(RUN_STATE)
                        .where(RUN_STATE.WORKFLOW_ID.eq(workflowId), RUN_STATE.SHARD.eq(shard)))
                .and(ACTIVITY_JOB.SHARD.eq(shard));
    }

    private static Condition ofRun(UUID runId) {
        return ACTIVITY_JOB.RUN_ID.eq(runId).and(ACTIVITY_JOB.SHARD.eq((short) RunIds.shard(runId)));
    }

    /**
     * Restricts to states as literals, not parameters, so that the planner sees in every plan which partial indexes
     * contain all of them.
     */
    static Condition in(Set<ActivityState> states) {
        return states.isEmpty()
                ? noCondition()
                : ACTIVITY_JOB.STATE.in(states.stream()
                        .sorted()
                        .map(state -> inline(JobState.valueOf(state.name()).code()))
                        .toList());
    }

    private static Condition buried(JobFilter.Burial burial) {
        return said(burial.fingerprint(), ACTIVITY_JOB.FINGERPRINT::eq)
                .and(said(burial.from(), ACTIVITY_JOB.BURIED_AT::ge))
                .and(said(burial.before(), ACTIVITY_JOB.BURIED_AT::lt));
    }

    private static Condition after(JobKey last) {
        return row(ACTIVITY_JOB.RUN_ID, ACTIVITY_JOB.SEQ).gt(last.run().runId(), last.seq());
    }
}
