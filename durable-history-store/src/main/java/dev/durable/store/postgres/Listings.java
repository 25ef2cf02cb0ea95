package dev.durable.store.postgres;

import static dev.durable.store.postgres.Param.shorts;
import static dev.durable.store.postgres.Param.uuids;
import static dev.durable.store.postgres.jooq.generated.Tables.HISTORY_EVENT;
import static dev.durable.store.postgres.jooq.generated.Tables.RUN_STATE;
import static dev.durable.store.postgres.jooq.generated.Tables.WORKFLOW_RUN;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.selectOne;

import dev.durable.WorkflowStatus;
import dev.durable.store.JobStart;
import dev.durable.store.RunFilter;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectJoinStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Runs as people and waiting clients see them. */
final class Listings {
    private final Connections connections;

    Listings(Connections connections) {
        this.connections = connections;
    }

    Optional<RunRecord> run(UUID runId) {
        return connections.read(
                Locks.READ,
                tx -> select(tx)
                        .where(WORKFLOW_RUN.RUN_ID.eq(runId), WORKFLOW_RUN.SHARD.eq((short) RunIds.shard(runId)))
                        .fetchOptional(Listings::record));
    }

    Optional<RunRecord> latest(String workflowId) {
        return connections.read(
                Locks.READ,
                tx -> select(tx)
                        .where(WORKFLOW_RUN.WORKFLOW_ID.eq(workflowId), WORKFLOW_RUN.SHARD.eq((short)
                                RunIds.shardOf(workflowId)))
                        .orderBy(WORKFLOW_RUN.STARTED_AT.desc())
                        .limit(1)
                        .fetchOptional(Listings::record));
    }

    List<RunRecord> closed(Collection<UUID> runIds) {
        List<UUID> asked = List.copyOf(runIds);
        return connections.read(Locks.SHORT, tx -> {
            List<RunRecord> closed = new ArrayList<>();
            tx.last(new Script()
                    .read(
                            ReadSql.CLOSED,
                            row -> closed.add(record(row)),
                            uuids(asked, id -> id),
                            shorts(asked, RunIds::shard)));
            return closed;
        });
    }

    Set<UUID> unknown(Collection<UUID> runIds) {
        List<UUID> asked = List.copyOf(runIds);
        return connections.read(Locks.SHORT, tx -> {
            Set<UUID> unknown = new HashSet<>();
            tx.last(new Script()
                    .read(
                            ReadSql.UNKNOWN,
                            row -> unknown.add(row.getObject("run_id", UUID.class)),
                            uuids(asked, id -> id),
                            shorts(asked, RunIds::shard)));
            return unknown;
        });
    }

    static RunRecord record(ResultSet row) throws SQLException {
        return new RunRecord(
                new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id")),
                row.getString("type"),
                WorkflowStatus.valueOf(row.getString("status")),
                row.getString("task_queue"),
                Times.required(row, "started_at"),
                Times.instant(row, "closed_at"),
                row.getString("result"),
                row.getString("failure"),
                Memo.read(row.getString("memo")));
    }

    List<RunRecord> page(RunFilter filter, int limit) {
        UUID after = filter.after();
        Condition rest = after == null
                ? noCondition()
                : filter.newestFirst() ? WORKFLOW_RUN.RUN_ID.lt(after) : WORKFLOW_RUN.RUN_ID.gt(after);
        return connections.read(
                Locks.READ,
                tx -> select(tx)
                        .where(matches(filter), rest)
                        .orderBy(filter.newestFirst() ? WORKFLOW_RUN.RUN_ID.desc() : WORKFLOW_RUN.RUN_ID.asc())
                        .limit(limit)
                        .fetch(Listings::record));
    }

    long count(RunFilter filter) {
        return connections.read(Locks.READ, tx -> (long)
                tx.dsl().fetchCount(tx.dsl().selectOne().from(WORKFLOW_RUN).where(matches(filter))));
    }

    Map<WorkflowStatus, Long> tally(RunFilter filter) {
        return connections.read(
                Locks.READ,
                tx -> tx.dsl()
                        .select(WORKFLOW_RUN.STATUS, DSL.count())
                        .from(WORKFLOW_RUN)
                        .where(matches(filter))
                        .groupBy(WORKFLOW_RUN.STATUS)
                        .fetchMap(
                                row -> WorkflowStatus.valueOf(row.get(WORKFLOW_RUN.STATUS)),
                                row -> row.get(DSL.count()).longValue()));
    }

    static RunRecord record(Record row) {
        return new RunRecord(
                new RunKey(row.get(WORKFLOW_RUN.RUN_ID), row.get(WORKFLOW_RUN.WORKFLOW_ID)),
                row.get(WORKFLOW_RUN.TYPE),
                WorkflowStatus.valueOf(row.get(WORKFLOW_RUN.STATUS)),
                row.get(WORKFLOW_RUN.TASK_QUEUE),
                row.get(WORKFLOW_RUN.STARTED_AT),
                row.get(WORKFLOW_RUN.CLOSED_AT),
                Json.text(row.get(WORKFLOW_RUN.RESULT)),
                Json.text(row.get(WORKFLOW_RUN.FAILURE)),
                Memo.read(Json.text(row.get(WORKFLOW_RUN.MEMO))));
    }

    static SelectJoinStep<? extends Record> select(Tx tx) throws java.sql.SQLException {
        return tx.dsl()
                .select(
                        WORKFLOW_RUN.RUN_ID,
                        WORKFLOW_RUN.WORKFLOW_ID,
                        WORKFLOW_RUN.TYPE,
                        WORKFLOW_RUN.STATUS,
                        WORKFLOW_RUN.TASK_QUEUE,
                        WORKFLOW_RUN.STARTED_AT,
                        WORKFLOW_RUN.CLOSED_AT,
                        WORKFLOW_RUN.RESULT,
                        WORKFLOW_RUN.FAILURE,
                        WORKFLOW_RUN.MEMO)
                .from(WORKFLOW_RUN);
    }

    private static Condition matches(RunFilter filter) {
        Condition condition = within(WORKFLOW_RUN.STARTED_AT, filter.startedAfter(), filter.startedBefore())
                .and(within(WORKFLOW_RUN.CLOSED_AT, filter.closedAfter(), filter.closedBefore()))
                .and(same(WORKFLOW_RUN.WORKFLOW_ID, filter.workflowId()))
                .and(same(WORKFLOW_RUN.TASK_QUEUE, filter.taskQueue()))
                .and(startsWith(filter.workflowIdPrefix()))
                .and(isIn(filter.batch()))
                .and(ofActivity(filter.activity()));
        if (!filter.types().isEmpty()) {
            condition = condition.and(WORKFLOW_RUN.TYPE.in(filter.types()));
        }
        if (!filter.statuses().isEmpty()) {
            condition = condition.and(WORKFLOW_RUN.STATUS.in(
                    filter.statuses().stream().map(WorkflowStatus::name).toList()));
        }
        return filter.stalled() ? condition.and(isStalled()) : condition;
    }

    private static Condition isIn(@Nullable String batch) {
        return batch == null
                ? noCondition()
                : DSL.condition(
                        "(workflow_run.run_id, workflow_run.shard) in (select b.run_id, b.shard from batch_job b"
                                + " where b.batch = {0})",
                        DSL.val(batch));
    }

    /** It stands in the first event of a background job only: read for each run that satisfies the rest. */
    private static Condition ofActivity(@Nullable String activity) {
        return activity == null
                ? noCondition()
                : exists(selectOne()
                        .from(HISTORY_EVENT)
                        .where(
                                HISTORY_EVENT.RUN_ID.eq(WORKFLOW_RUN.RUN_ID),
                                HISTORY_EVENT.SHARD.eq(WORKFLOW_RUN.SHARD),
                                HISTORY_EVENT.EVENT_ID.eq(1L),
                                DSL.condition(
                                        "substring({0}::text from {1}) = {2}",
                                        HISTORY_EVENT.ATTRIBUTES, DSL.inline(JobStart.ACTIVITY), DSL.val(activity))));
    }

    private static Condition isStalled() {
        return exists(selectOne()
                .from(RUN_STATE)
                .where(
                        RUN_STATE.RUN_ID.eq(WORKFLOW_RUN.RUN_ID),
                        RUN_STATE.SHARD.eq(WORKFLOW_RUN.SHARD),
                        RUN_STATE.STALLED_BY.isNotNull()));
    }

    private static Condition within(Field<Instant> at, @Nullable Instant after, @Nullable Instant before) {
        return (after == null ? noCondition() : at.gt(after)).and(before == null ? noCondition() : at.lt(before));
    }

    private static Condition same(Field<String> field, @Nullable String value) {
        return value == null ? noCondition() : field.eq(value);
    }

    private static Condition startsWith(@Nullable String prefix) {
        return prefix == null
                ? noCondition()
                : WORKFLOW_RUN.WORKFLOW_ID.startsWith(prefix).and(isInRange(prefix));
    }

    /** The same as a range, which the index on workflow ids can answer whatever the planner makes of LIKE. */
    private static Condition isInRange(String prefix) {
        char last = prefix.isEmpty() ? Character.MAX_VALUE : prefix.charAt(prefix.length() - 1);
        return last >= '~' || last < ' '
                ? noCondition()
                : WORKFLOW_RUN
                        .WORKFLOW_ID
                        .ge(prefix)
                        .and(WORKFLOW_RUN.WORKFLOW_ID.lt(prefix.substring(0, prefix.length() - 1) + (char) (last + 1)));
    }
}
