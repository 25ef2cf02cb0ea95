package dev.durable.store.postgres.internal.read;

import static dev.durable.store.postgres.internal.jooq.Tables.HISTORY_EVENT;
import static dev.durable.store.postgres.internal.jooq.Tables.NOTABLE_RUN;
import static dev.durable.store.postgres.internal.jooq.Tables.RUN_STATE;
import static dev.durable.store.postgres.internal.jooq.Tables.WORKFLOW_RUN;
import static org.jooq.impl.DSL.noCondition;

import dev.durable.client.WorkflowStatus;
import dev.durable.store.RunFilter;
import dev.durable.store.StallCause;
import dev.durable.store.postgres.internal.run.StartSql;
import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * One access path of {@link RunSearch}: a table with an index by which the runs that a filter selects are found.
 *
 * @param table the table with the keys of the runs
 * @param range the range of run ids that may match
 * @param wanted the condition of the filter
 * @param order how the runs are found
 */
public record RunWay(Columns table, Condition range, Condition wanted, Order order) {
    static final Columns ALL = new Columns(
            WORKFLOW_RUN,
            WORKFLOW_RUN.RUN_ID,
            WORKFLOW_RUN.SHARD,
            WORKFLOW_RUN.WORKFLOW_ID,
            WORKFLOW_RUN.TYPE,
            WORKFLOW_RUN.TASK_QUEUE,
            even("workflow_run"));
    private static final Columns OPEN = new Columns(
            RUN_STATE,
            RUN_STATE.RUN_ID,
            RUN_STATE.SHARD,
            RUN_STATE.WORKFLOW_ID,
            RUN_STATE.TYPE,
            RUN_STATE.TASK_QUEUE,
            ofOpenRun(even("workflow_run")));
    private static final Columns NOTABLE = new Columns(
            NOTABLE_RUN,
            NOTABLE_RUN.RUN_ID,
            NOTABLE_RUN.SHARD,
            NOTABLE_RUN.WORKFLOW_ID,
            NOTABLE_RUN.TYPE,
            NOTABLE_RUN.TASK_QUEUE,
            even("notable_run"));

    /** How runs are found. */
    enum Order {
        /** One after another in the order of the listing, by an index that contains few other runs. */
        LISTED,
        /**
         * In the order of the listing for {@link RunSearch#WALK} runs, and if few of these match, the others as {@link
         * #SOUGHT}.
         */
        WALKED,
        /** By any index, and then sorted. */
        SOUGHT
    }

    /**
     * The columns that the tables of runs have in common.
     *
     * @param even whether the id of a run was made within ten seconds of its start
     */
    record Columns(
            Table<? extends Record> table,
            Field<UUID> runId,
            Field<Short> shard,
            Field<String> workflowId,
            Field<String> type,
            Field<String> taskQueue,
            Condition even) {}

    /** The access path of all runs. */
    public static RunWay anyRun(RunFilter filter, Set<WorkflowStatus> statuses) {
        return new RunWay(
                ALL,
                noCondition(),
                common(filter, ALL)
                        .and(ofActivity(filter.activity(), ALL))
                        .and(same(WORKFLOW_RUN.PARENT_CHAIN, filter.parent()))
                        .and(same(WORKFLOW_RUN.ROOT_CHAIN, filter.root()))
                        .and(within(WORKFLOW_RUN.STARTED_AT, filter.startedAfter(), filter.startedBefore()))
                        .and(within(WORKFLOW_RUN.CLOSED_AT, filter.closedAfter(), filter.closedBefore()))
                        .and(isAmong(WORKFLOW_RUN.STATUS, statuses))
                        .and(withoutRetried(filter, statuses)),
                isNarrow(filter) ? Order.WALKED : Order.LISTED);
    }

    /** The condition that leaves out failed runs that an attempt or a retry follows, unless their workflow id is asked for. */
    private static Condition withoutRetried(RunFilter filter, Set<WorkflowStatus> statuses) {
        Set<WorkflowStatus> failed = Set.of(WorkflowStatus.FAILED, WorkflowStatus.TIMED_OUT);
        boolean none = filter.workflowId() != null || !statuses.isEmpty() && Collections.disjoint(statuses, failed);
        return none
                ? noCondition()
                : WORKFLOW_RUN
                        .NEXT_RUN_ID
                        .isNull()
                        .or(WORKFLOW_RUN.STATUS.notIn(WorkflowStatus.FAILED.name(), WorkflowStatus.TIMED_OUT.name()));
    }

    /** The access path of open runs; the times of their starts stand in another table. */
    static RunWay openRun(RunFilter filter) {
        Condition started = within(WORKFLOW_RUN.STARTED_AT, filter.startedAfter(), filter.startedBefore());
        return new RunWay(
                OPEN,
                noCondition(),
                common(filter, OPEN)
                        .and(ofActivity(filter.activity(), OPEN))
                        .and(
                                filter.startedAfter() == null && filter.startedBefore() == null
                                        ? noCondition()
                                        : ofOpenRun(started))
                        .and(
                                filter.closedAfter() == null && filter.closedBefore() == null
                                        ? noCondition()
                                        : DSL.falseCondition())
                        .and(filter.stalled() ? stalled(filter) : noCondition()),
                isNarrow(filter) ? Order.WALKED : Order.LISTED);
    }

    /** The path of the runs in {@code notable_run}, in the order of an index if one status is asked for, or any. */
    static RunWay notableRun(RunFilter filter, Set<WorkflowStatus> statuses) {
        return new RunWay(
                NOTABLE,
                noCondition(),
                common(filter, NOTABLE)
                        .and(isAmong(NOTABLE_RUN.STATUS, statuses))
                        .and(within(NOTABLE_RUN.STARTED_AT, filter.startedAfter(), filter.startedBefore()))
                        .and(within(NOTABLE_RUN.CLOSED_AT, filter.closedAfter(), filter.closedBefore()))
                        .and(same(NOTABLE_RUN.ACTIVITY, filter.activity())),
                filter.workflowIdPrefix() != null || filter.closedAfter() != null || filter.closedBefore() != null
                        ? Order.WALKED
                        : Order.LISTED);
    }

    private static Condition even(String table) {
        return DSL.condition(
                table + ".started_at - run_id_time(" + table + ".run_id) between interval '-10 s' and interval '10 s'");
    }

    /** The condition on {@code run_state} of a filter for stalled runs. */
    static Condition stalled(RunFilter filter) {
        StallCause cause = filter.stallCause();
        Condition stalled = RUN_STATE.STALLED_BY.isNotNull();
        return cause == null
                ? stalled
                : stalled.and(DSL.condition(
                                "regexp_replace(replace(replace(split_part(run_state.stalled_by, chr(10), 1),"
                                        + " run_state.workflow_id, ''), run_state.run_id::text, ''), ?, ?, 'g') = ?",
                                StallCause.NUMBER,
                                StallCause.ANY_NUMBER,
                                cause.cause()))
                        .and(DSL.condition(
                                "substring(run_state.stalled_by from ?) is not distinct from ?",
                                StallCause.LINE,
                                cause.line()));
    }

    /** A condition on another table than that of open runs. */
    private static Condition ofOpenRun(Condition condition) {
        return DSL.condition(
                "exists (select from workflow_run where workflow_run.run_id = run_state.run_id"
                        + " and workflow_run.shard = run_state.shard and {0} offset 0)",
                condition);
    }

    RunWay and(Condition condition) {
        return new RunWay(table, range, wanted.and(condition), order);
    }

    RunWay inRange(Condition ids) {
        return new RunWay(table, range.and(ids), wanted, order);
    }

    RunWay in(Order other) {
        return new RunWay(table, range, wanted, other);
    }

    /** Returns whether the filter has a criterion that mostly matches many runs, but may match few. */
    private static boolean isNarrow(RunFilter filter) {
        return !filter.types().isEmpty() || filter.taskQueue() != null || filter.workflowIdPrefix() != null;
    }

    private static Condition common(RunFilter filter, Columns table) {
        return same(table.workflowId(), filter.workflowId())
                .and(same(table.taskQueue(), filter.taskQueue()))
                .and(startsWith(table.workflowId(), filter.workflowIdPrefix()))
                .and(isIn(filter.batch(), table))
                .and(filter.types().isEmpty() ? noCondition() : table.type().in(filter.types()));
    }

    private static Condition isAmong(Field<String> status, Set<WorkflowStatus> statuses) {
        return statuses.isEmpty()
                ? noCondition()
                : status.in(statuses.stream().map(WorkflowStatus::name).sorted().toList());
    }

    private static Condition isIn(@Nullable String batch, Columns table) {
        return batch == null
                ? noCondition()
                : DSL.condition(
                        "({0}, {1}) in (select b.run_id, b.shard from batch_job b where b.batch = {2})",
                        table.runId(), table.shard(), DSL.val(batch));
    }

    /**
     * The activity stands only in the first event of a background job, which is read for each run that satisfies the
     * other conditions.
     */
    private static Condition ofActivity(@Nullable String activity, Columns table) {
        return activity == null
                ? noCondition()
                : DSL.condition(
                        "exists (select from {0} where {1} = {2} and {3} = {4} and {5} = 1"
                                + " and substring({6}::text from {7}) = {8} offset 0)",
                        HISTORY_EVENT,
                        HISTORY_EVENT.RUN_ID,
                        table.runId(),
                        HISTORY_EVENT.SHARD,
                        table.shard(),
                        HISTORY_EVENT.EVENT_ID,
                        HISTORY_EVENT.ATTRIBUTES,
                        DSL.inline(StartSql.ACTIVITY_OF_JOB),
                        DSL.val(activity));
    }

    static Condition within(Field<Instant> at, @Nullable Instant after, @Nullable Instant before) {
        return (after == null ? noCondition() : at.gt(after)).and(before == null ? noCondition() : at.lt(before));
    }

    private static <T> Condition same(Field<T> field, @Nullable T value) {
        return value == null ? noCondition() : field.eq(value);
    }

    private static Condition startsWith(Field<String> workflowId, @Nullable String prefix) {
        return prefix == null ? noCondition() : workflowId.startsWith(prefix).and(isInRange(workflowId, prefix));
    }

    /** Only ASCII has one order in Java's strings and PostgreSQL's collation "C"; other prefixes are left to LIKE. */
    private static Condition isInRange(Field<String> workflowId, String prefix) {
        char last = prefix.isEmpty() ? Character.MAX_VALUE : prefix.charAt(prefix.length() - 1);
        return last >= '~' || last < ' '
                ? noCondition()
                : workflowId
                        .ge(prefix)
                        .and(workflowId.lt(prefix.substring(0, prefix.length() - 1) + (char) (last + 1)));
    }
}
