package dev.durable.store.postgres.internal.read;

import static dev.durable.store.postgres.internal.jooq.Tables.WORKFLOW_RUN;
import static org.jooq.impl.DSL.noCondition;

import dev.durable.client.WorkflowStatus;
import dev.durable.internal.text.Portion;
import dev.durable.store.RunFilter;
import dev.durable.store.RunIds;
import dev.durable.store.RunRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BinaryOperator;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.SortField;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Finds the runs that match a filter by index, at a cost that does not grow with the number of completed runs.
 *
 * <p>Runs are ordered by their ids, which is by start. Open runs are found in {@code run_state}, those that ended
 * otherwise than COMPLETED or took more than an hour in {@code notable_run}. A range of start times is a range of ids,
 * except for the few runs whose id was made at another time than they were started, which have an index of their own. A
 * range of closing times is a range of start times that is an hour longer, except for runs that took longer. The other
 * criteria mostly match many runs, so the first runs in the order of the listing are scanned; if few match, they are
 * found by an index on the criterion, and a rare type or queue by a BRIN index.
 */
public final class RunSearch {
    /** The number of runs that are scanned before the matching ones are taken to be rare. */
    static final int WALK = 2_000;

    /** The duration from which a run stands in {@code notable_run}. */
    private static final Duration LONG = Duration.ofHours(1);
    /** The distance of a run's id from its start from which the run is in an index of its own, with this condition. */
    private static final Duration APART = Duration.ofSeconds(10);

    private static final Condition ODD = DSL.condition("workflow_run.started_at - run_id_time(workflow_run.run_id)"
            + " not between interval '-10 s' and interval '10 s'");

    private static final List<Field<?>> LARGE = List.of(WORKFLOW_RUN.RESULT, WORKFLOW_RUN.FAILURE, WORKFLOW_RUN.MEMO);

    private final RunFilter filter;

    public RunSearch(RunFilter filter) {
        this.filter = filter;
    }

    /**
     * Reads a page of at most so many runs, and at most a {@linkplain dev.durable.internal.text.Portion portion}. A run that
     * closes meanwhile may be found by two access paths: the later one shows its present state.
     */
    public List<RunRecord> page(DSLContext dsl, int limit) {
        Comparator<UUID> order = filter.newestFirst() ? RunIds.ORDER.reversed() : RunIds.ORDER;
        NavigableMap<UUID, Found> found = new TreeMap<>(order);
        UUID end = null;
        for (RunWay way : ways()) {
            for (Record row : rows(dsl, way, limit)) {
                RunRecord run = Listings.record(row);
                found.put(run.run().runId(), new Found(run, row.get(PagePortion.SIZE)));
            }
            // An access path that was cut off makes a portion itself, and the runs that it has not read come later in
            // the order.
            UUID full = whereFull(found);
            if (full != null && (end == null || order.compare(full, end) < 0)) {
                end = full;
            }
            if (end != null) {
                found.tailMap(end, false).clear();
            }
        }
        return found.values().stream().limit(limit).map(Found::run).toList();
    }

    private record Found(RunRecord run, long size) {}

    /** The run with which the runs make a portion; null if they make none. */
    private static @Nullable UUID whereFull(NavigableMap<UUID, Found> found) {
        long bytes = 0;
        for (Map.Entry<UUID, Found> one : found.entrySet()) {
            bytes += one.getValue().size;
            if (bytes >= Portion.BYTES) {
                return one.getKey();
            }
        }
        return null;
    }

    public long count(DSLContext dsl, long limit) {
        long found = 0;
        for (RunWay way : ways()) {
            if (found < limit) {
                plan(dsl, way.order() != RunWay.Order.SOUGHT, true);
                found += Objects.requireNonNull(
                        dsl.selectCount().from(wanted(dsl, way, limit - found)).fetchSingle(0, long.class));
            }
        }
        return found;
    }

    /** Returns the runs to count, in an order only where a page has it, too: then an index gives them. */
    private Table<? extends Record> wanted(DSLContext dsl, RunWay way, long limit) {
        var wanted = dsl.selectOne()
                .from(way.table().table())
                .where(way.wanted(), way.range(), beyond(way.table().runId()));
        return way.order() == RunWay.Order.LISTED
                ? wanted.orderBy(ordered(way.table().runId())).limit(limit).asTable("wanted")
                : wanted.limit(limit).asTable("wanted");
    }

    /**
     * The access paths, which have no run in common. Those of open runs come first, so that a run that closes meanwhile
     * is found by one of the others.
     */
    private List<RunWay> ways() {
        if (filter.workflowId() != null || filter.batch() != null || filter.parent() != null || filter.root() != null) {
            RunWay way = RunWay.anyRun(filter, filter.statuses()).in(RunWay.Order.SOUGHT);
            return List.of(filter.stalled() ? way.and(stalled()) : way);
        }
        if (filter.stalled()) {
            return isWanted(WorkflowStatus.RUNNING)
                    ? List.of(RunWay.openRun(filter).in(RunWay.Order.LISTED))
                    : List.of();
        }
        if (isWanted(WorkflowStatus.COMPLETED) || isWanted(WorkflowStatus.CONTINUED_AS_NEW)) {
            if (filter.closedAfter() != null || filter.closedBefore() != null) {
                return closed();
            }
            RunWay way = RunWay.anyRun(filter, filter.statuses());
            return started(way, way, filter.startedAfter(), filter.startedBefore());
        }
        List<RunWay> ways = new ArrayList<>();
        for (WorkflowStatus status : EnumSet.copyOf(filter.statuses())) {
            RunWay way = status.closed() ? RunWay.notableRun(filter, Set.of(status)) : RunWay.openRun(filter);
            ways.addAll(started(way, RunWay.anyRun(filter, Set.of(status)), filter.startedAfter(), startedBefore()));
        }
        return ways;
    }

    private Condition stalled() {
        return DSL.condition(
                "exists (select from run_state where run_state.run_id = workflow_run.run_id"
                        + " and run_state.shard = workflow_run.shard and {0})",
                RunWay.stalled(filter));
    }

    private boolean isWanted(WorkflowStatus status) {
        return filter.statuses().isEmpty() || filter.statuses().contains(status);
    }

    /** Restricts an access path to the range of start times, if there is one. */
    private static List<RunWay> started(RunWay way, RunWay anyRun, @Nullable Instant after, @Nullable Instant before) {
        if (after == null && before == null) {
            return List.of(way);
        }
        Field<UUID> runId = way.table().runId();
        return List.of(
                way.and(way.table().even())
                        .inRange(after == null ? noCondition() : runId.ge(lowestId(after.minus(APART))))
                        .inRange(
                                before == null
                                        ? noCondition()
                                        : runId.lt(lowestId(before.plus(APART).plusMillis(1)))),
                anyRun.and(ODD)
                        .and(RunWay.within(WORKFLOW_RUN.STARTED_AT, after, before))
                        .in(RunWay.Order.SOUGHT));
    }

    /** The paths for a range of closing times: runs of at most an hour started in it, or within an hour before. */
    private List<RunWay> closed() {
        Instant closedAfter = filter.closedAfter();
        Instant after = both(
                filter.startedAfter(),
                closedAfter == null ? null : closedAfter.minus(LONG),
                (a, b) -> a.isAfter(b) ? a : b);
        RunWay any = RunWay.anyRun(filter, filter.statuses());
        RunWay quick = any.and(DSL.condition("workflow_run.closed_at <= workflow_run.started_at + interval '1 h'"));
        List<RunWay> ways = new ArrayList<>(started(quick, quick, after, startedBefore()));
        RunWay slow = RunWay.notableRun(filter, filter.statuses())
                .and(DSL.condition("notable_run.closed_at > notable_run.started_at + interval '1 h'"));
        RunWay anySlow = any.and(DSL.condition("workflow_run.closed_at > workflow_run.started_at + interval '1 h'"));
        ways.addAll(started(slow, anySlow, filter.startedAfter(), startedBefore()));
        return ways;
    }

    /** The upper bound of start times: a run that closed before a time started before it. */
    private @Nullable Instant startedBefore() {
        return both(filter.startedBefore(), filter.closedBefore(), (a, b) -> a.isBefore(b) ? a : b);
    }

    private static @Nullable Instant both(@Nullable Instant a, @Nullable Instant b, BinaryOperator<Instant> closer) {
        if (a == null) {
            return b;
        }
        return b == null ? a : closer.apply(a, b);
    }

    private static UUID lowestId(Instant at) {
        return new UUID(Math.max(at.toEpochMilli(), 0) << 16, 0);
    }

    private List<Record> rows(DSLContext dsl, RunWay way, int limit) {
        boolean sought = way.order() == RunWay.Order.SOUGHT;
        plan(dsl, !sought, sought);
        UUID edge = way.order() == RunWay.Order.WALKED ? edge(dsl, way) : null;
        if (edge == null) {
            return List.copyOf(select(dsl, way, limit).fetch());
        }
        Field<UUID> runId = way.table().runId();
        Condition near = filter.newestFirst() ? runId.ge(edge) : runId.le(edge);
        List<Record> found =
                new ArrayList<>(select(dsl, way.inRange(near), limit).fetch());
        boolean full =
                found.stream().mapToLong(row -> row.get(PagePortion.SIZE)).sum() >= Portion.BYTES;
        if (found.size() < limit && !full) {
            plan(dsl, false, true);
            found.addAll(
                    select(dsl, way.inRange(near.not()), limit - found.size()).fetch());
        }
        return found;
    }

    /** The run that ends the scan, in the order of the listing; null if there are fewer. */
    private @Nullable UUID edge(DSLContext dsl, RunWay way) {
        Field<UUID> runId = way.table().runId();
        return dsl.select(runId)
                .from(way.table().table())
                .where(way.range(), beyond(runId))
                .orderBy(ordered(runId))
                .limit(1)
                .offset(WALK)
                .fetchOne(runId);
    }

    /**
     * Restricts the planner, which knows neither where in the order the matching runs are, nor how far ids are from
     * starts.
     *
     * @param ordered whether it may scan an index in its order, testing each run
     * @param sought whether it may find the runs by any index and sort them
     */
    static void plan(DSLContext dsl, boolean ordered, boolean sought) {
        dsl.execute("select set_config('enable_indexscan', '" + ordered + "', true), set_config('enable_bitmapscan', '"
                + sought + "', true), set_config('enable_sort', '" + sought + "', true)");
    }

    private Select<? extends Record> select(DSLContext dsl, RunWay way, int limit) {
        return PagePortion.of(
                dsl, all(dsl, way, limit), LARGE, List.of(ordered(DSL.field(DSL.name("run_id"), UUID.class))));
    }

    /** Selects the keys first, so that no more runs are read than are shown. */
    private Select<? extends Record> all(DSLContext dsl, RunWay way, int limit) {
        RunWay.Columns table = way.table();
        if (table.equals(RunWay.ALL)) {
            return dsl.select(Listings.Columns.SHOWN)
                    .from(WORKFLOW_RUN)
                    .where(way.wanted(), way.range(), beyond(table.runId()))
                    .orderBy(ordered(table.runId()))
                    .limit(limit);
        }
        Table<? extends Record> keys = dsl.select(table.runId(), table.shard())
                .from(table.table())
                .where(way.wanted(), way.range(), beyond(table.runId()))
                .orderBy(ordered(table.runId()))
                .limit(limit)
                .asTable("found");
        Field<UUID> runId = Objects.requireNonNull(keys.field(table.runId()));
        return dsl.select(Listings.Columns.SHOWN_OF_SUBQUERY)
                .from(
                        keys,
                        DSL.lateral(dsl.select(Listings.Columns.SHOWN)
                                .from(WORKFLOW_RUN)
                                .where(WORKFLOW_RUN.RUN_ID.eq(runId), WORKFLOW_RUN.SHARD.eq(keys.field(table.shard())))
                                .offset(0)
                                .asTable(WORKFLOW_RUN)));
    }

    private SortField<UUID> ordered(Field<UUID> runId) {
        return filter.newestFirst() ? runId.desc() : runId.asc();
    }

    private Condition beyond(Field<UUID> runId) {
        UUID after = filter.after();
        if (after == null) {
            return noCondition();
        }
        return filter.newestFirst() ? runId.lt(after) : runId.gt(after);
    }
}
