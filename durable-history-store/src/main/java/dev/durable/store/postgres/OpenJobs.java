package dev.durable.store.postgres;

import static dev.durable.store.postgres.jooq.generated.Tables.ACTIVITY_HEARTBEAT;
import static dev.durable.store.postgres.jooq.generated.Tables.ACTIVITY_JOB;
import static dev.durable.store.postgres.jooq.generated.Tables.RUN_STATE;
import static dev.durable.store.postgres.jooq.generated.Tables.SESSION;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.row;

import dev.durable.ActivityState;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobNotes;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Record;
import org.jooq.Row2;
import org.jooq.SelectJoinStep;
import org.jspecify.annotations.Nullable;

/** Open jobs as people see them, and those who give orders. */
final class OpenJobs {
    private final Connections connections;

    OpenJobs(Connections connections) {
        this.connections = connections;
    }

    List<OpenJob> page(JobFilter filter, int limit) {
        return connections.read(
                Locks.READ,
                tx -> select(tx)
                        .where(matches(filter))
                        .orderBy(ACTIVITY_JOB.RUN_ID, ACTIVITY_JOB.SEQ)
                        .limit(limit)
                        .fetch(OpenJobs::job));
    }

    /** Nothing is locked: who acts on it says what it has seen. */
    List<OpenJob> overdueExternal(int limit) {
        List<Row2<UUID, Integer>> keys = connections.read(Locks.SHORT, tx -> {
            List<Row2<UUID, Integer>> overdue = new ArrayList<>();
            tx.last(new Script()
                    .read(
                            OrderSql.OVERDUE,
                            found -> overdue.add(row(found.getObject("run_id", UUID.class), found.getInt("seq"))),
                            Param.of(limit)));
            return overdue;
        });
        return keys.isEmpty()
                ? List.of()
                : connections.read(
                        Locks.READ,
                        tx -> select(tx)
                                .where(
                                        row(ACTIVITY_JOB.RUN_ID, ACTIVITY_JOB.SEQ)
                                                .in(keys),
                                        stillExternal())
                                .fetch(OpenJobs::job));
    }

    private static Condition stillExternal() {
        return ACTIVITY_JOB.STATE.eq(JobState.EXTERNAL.code());
    }

    private static SelectJoinStep<? extends Record> select(Tx tx) throws SQLException {
        return tx.dsl()
                .select(ACTIVITY_JOB.asterisk(), ACTIVITY_HEARTBEAT.DETAILS, SESSION.IDENTITY)
                .from(ACTIVITY_JOB)
                .leftJoin(ACTIVITY_HEARTBEAT)
                .on(
                        ACTIVITY_HEARTBEAT.RUN_ID.eq(ACTIVITY_JOB.RUN_ID),
                        ACTIVITY_HEARTBEAT.SEQ.eq(ACTIVITY_JOB.SEQ),
                        ACTIVITY_HEARTBEAT.SHARD.eq(ACTIVITY_JOB.SHARD))
                .leftJoin(SESSION)
                .on(SESSION.ID.eq(ACTIVITY_JOB.SESSION));
    }

    static Condition matches(JobFilter filter) {
        Condition condition = noCondition();
        String workflowId = filter.workflowId();
        if (workflowId != null) {
            short shard = (short) RunIds.shardOf(workflowId);
            condition = condition.and(ACTIVITY_JOB
                    .RUN_ID
                    .in(org.jooq
                            .impl
                            .DSL
                            .select(RUN_STATE.RUN_ID)
                            .from(RUN_STATE)
                            .where(RUN_STATE.WORKFLOW_ID.eq(workflowId), RUN_STATE.SHARD.eq(shard)))
                    .and(ACTIVITY_JOB.SHARD.eq(shard)));
        }
        UUID runId = filter.runId();
        if (runId != null) {
            condition = condition.and(ACTIVITY_JOB.RUN_ID.eq(runId)).and(ACTIVITY_JOB.SHARD.eq((short)
                    RunIds.shard(runId)));
        }
        if (filter.seq() != null) {
            condition = condition.and(ACTIVITY_JOB.SEQ.eq(filter.seq()));
        }
        if (filter.activity() != null) {
            condition = condition.and(ACTIVITY_JOB.ACTIVITY.eq(filter.activity()));
        }
        if (filter.taskQueue() != null) {
            condition = condition.and(ACTIVITY_JOB.TASK_QUEUE.eq(filter.taskQueue()));
        }
        if (!filter.states().isEmpty()) {
            condition = condition.and(ACTIVITY_JOB.STATE.in(filter.states().stream()
                    .map(state -> JobState.valueOf(state.name()).code())
                    .toList()));
        }
        if (filter.fingerprint() != null) {
            condition = condition.and(ACTIVITY_JOB.FINGERPRINT.eq(filter.fingerprint()));
        }
        if (filter.minAttempt() > 0) {
            condition = condition.and(ACTIVITY_JOB.ATTEMPT.ge(filter.minAttempt()));
        }
        return condition.and(after(filter.after()));
    }

    private static Condition after(@Nullable JobKey last) {
        return last == null
                ? noCondition()
                : row(ACTIVITY_JOB.RUN_ID, ACTIVITY_JOB.SEQ).gt(last.run().runId(), last.seq());
    }

    private static OpenJob job(Record job) {
        UUID session = job.get(ACTIVITY_JOB.SESSION);
        return new OpenJob(
                new JobKey(
                        new RunKey(job.get(ACTIVITY_JOB.RUN_ID), job.get(ACTIVITY_JOB.WORKFLOW_ID)),
                        job.get(ACTIVITY_JOB.SEQ)),
                job.get(ACTIVITY_JOB.ACTIVITY),
                job.get(ACTIVITY_JOB.TASK_QUEUE),
                job.get(ACTIVITY_JOB.WORKFLOW_TYPE),
                ActivityState.valueOf(JobState.of(job.get(ACTIVITY_JOB.STATE)).name()),
                job.get(ACTIVITY_JOB.PAUSED),
                job.get(ACTIVITY_JOB.CANCEL_REQUESTED),
                new JobOrder.Seen(
                        job.get(ACTIVITY_JOB.LEASE), job.get(ACTIVITY_JOB.ATTEMPT), job.get(ACTIVITY_JOB.REVISION)),
                job.get(ACTIVITY_JOB.CRASHES),
                job.get(ACTIVITY_JOB.INPUT).data(),
                job.get(ACTIVITY_JOB.OPTIONS).data(),
                times(job),
                session == null ? null : new OpenJob.Worker(session, job.get(SESSION.IDENTITY)),
                job.get(ACTIVITY_JOB.LAST_FAILURE),
                Json.text(job.get(ACTIVITY_HEARTBEAT.DETAILS)),
                JobNotes.joined(
                        Json.text(job.get(ACTIVITY_JOB.NOTES)), Json.text(job.get(ACTIVITY_JOB.OPERATOR_NOTES))),
                burial(job));
    }

    private static OpenJob.@Nullable Burial burial(Record job) {
        Instant at = job.get(ACTIVITY_JOB.BURIED_AT);
        String fingerprint = job.get(ACTIVITY_JOB.FINGERPRINT);
        return at == null || fingerprint == null ? null : new OpenJob.Burial(at, fingerprint);
    }

    private static OpenJob.Times times(Record job) {
        return new OpenJob.Times(
                job.get(ACTIVITY_JOB.SCHEDULED_AT),
                job.get(ACTIVITY_JOB.VISIBLE_AT),
                job.get(ACTIVITY_JOB.CLAIMED_AT),
                job.get(ACTIVITY_JOB.DEADLINE),
                job.get(ACTIVITY_JOB.SILENT_UNTIL),
                job.get(ACTIVITY_JOB.SCHEDULE_TO_CLOSE_DEADLINE));
    }
}
