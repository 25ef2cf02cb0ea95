package dev.durable.store.postgres.internal.read;

import static dev.durable.store.postgres.internal.jooq.Tables.RUN_STATE;
import static dev.durable.store.postgres.internal.jooq.Tables.WORKFLOW_RUN;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.client.WorkflowStatus;
import dev.durable.internal.text.Portion;
import dev.durable.store.ClosedRun;
import dev.durable.store.RunFilter;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.postgres.internal.run.ReadSql;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.JsonColumns;
import dev.durable.store.postgres.internal.sql.MemoJson;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectJoinStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Reads runs for listings, handles and waiting clients. */
public final class Listings {
    /** Loaded with the first listing: a process that lists nothing loads none of jOOQ's classes. */
    static final class Columns {
        /** The build of an open run, one probe of a key for each run that is shown. */
        static final Field<String> BUILD = DSL.field(DSL.select(RUN_STATE.BUILD)
                        .from(RUN_STATE)
                        .where(RUN_STATE.RUN_ID.eq(WORKFLOW_RUN.RUN_ID), RUN_STATE.SHARD.eq(WORKFLOW_RUN.SHARD)))
                .as("build");

        /** The columns that {@link #record(Record)} reads. */
        static final List<Field<?>> SHOWN = shown(BUILD);

        /** The same columns of a subquery that has selected them as {@code workflow_run}. */
        static final List<Field<?>> SHOWN_OF_SUBQUERY =
                shown(DSL.field(DSL.name(WORKFLOW_RUN.getName(), "build"), String.class));

        private static List<Field<?>> shown(Field<String> build) {
            return List.of(
                    WORKFLOW_RUN.RUN_ID,
                    WORKFLOW_RUN.WORKFLOW_ID,
                    WORKFLOW_RUN.TYPE,
                    WORKFLOW_RUN.STATUS,
                    WORKFLOW_RUN.TASK_QUEUE,
                    WORKFLOW_RUN.STARTED_AT,
                    WORKFLOW_RUN.CLOSED_AT,
                    WORKFLOW_RUN.RESULT,
                    WORKFLOW_RUN.FAILURE,
                    WORKFLOW_RUN.MEMO,
                    WORKFLOW_RUN.ATTEMPT,
                    WORKFLOW_RUN.CHAIN_ID,
                    WORKFLOW_RUN.PREVIOUS_RUN_ID,
                    WORKFLOW_RUN.NEXT_RUN_ID,
                    WORKFLOW_RUN.DETAILS,
                    build);
        }
    }

    private static final Set<String> NAMES =
            Stream.of(WorkflowStatus.values()).map(WorkflowStatus::name).collect(Collectors.toUnmodifiableSet());

    private final Connections connections;

    public Listings(Connections connections) {
        this.connections = connections;
    }

    public Optional<RunRecord> run(UUID runId) {
        return one(ReadSql.RUN, Param.of(runId), Param.of((short) RunIds.shard(runId)));
    }

    public Optional<RunRecord> latest(String workflowId) {
        return one(ReadSql.LATEST_RUN, Param.of(workflowId), Param.of((short) RunIds.shardOf(workflowId)));
    }

    /** Reads a run in one round trip, as calls of handles wait for it. */
    private Optional<RunRecord> one(String sql, Param... params) {
        return connections.read(TransactionSettings.LONG, tx -> {
            List<RunRecord> found = new ArrayList<>();
            tx.last(new SqlScript().read(sql, row -> found.add(shown(row)), params));
            return found.stream().findFirst();
        });
    }

    public List<ClosedRun> closed(Collection<UUID> runIds) {
        List<UUID> asked = List.copyOf(runIds);
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<ClosedRun> closed = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            ReadSql.CLOSED,
                            row -> closed.add(new ClosedRun(
                                    row.getObject("run_id", UUID.class),
                                    status(row.getString("status"), true),
                                    row.getString("result"),
                                    row.getString("failure"),
                                    row.getObject("next", UUID.class))),
                            uuids(asked, id -> id),
                            shorts(asked, RunIds::shard),
                            Param.of((long) Portion.BYTES)));
            return closed;
        });
    }

    public Set<UUID> unknown(Collection<UUID> runIds) {
        List<UUID> asked = List.copyOf(runIds);
        return connections.read(TransactionSettings.SHORT, tx -> {
            Set<UUID> unknown = new HashSet<>();
            tx.last(new SqlScript()
                    .read(
                            ReadSql.UNKNOWN,
                            row -> unknown.add(row.getObject("run_id", UUID.class)),
                            uuids(asked, id -> id),
                            shorts(asked, RunIds::shard)));
            return unknown;
        });
    }

    /** Reads a run that is a background job, which is alone in its chain. */
    static RunRecord record(ResultSet row) throws SQLException {
        UUID runId = row.getObject("run_id", UUID.class);
        return record(row, runId, null, null, new RunRecord.Links(runId, null, null, 1));
    }

    private static RunRecord shown(ResultSet row) throws SQLException {
        UUID runId = row.getObject("run_id", UUID.class);
        return record(
                row,
                runId,
                row.getString("details"),
                row.getString("build"),
                new RunRecord.Links(
                        row.getObject("chain_id", UUID.class),
                        row.getObject("previous_run_id", UUID.class),
                        row.getObject("next_run_id", UUID.class),
                        row.getInt("attempt")));
    }

    private static RunRecord record(
            ResultSet row, UUID runId, @Nullable String details, @Nullable String build, RunRecord.Links links)
            throws SQLException {
        return new RunRecord(
                new RunKey(runId, row.getString("workflow_id")),
                row.getString("type"),
                status(row.getString("status"), row.getObject("closed_at") != null),
                row.getString("task_queue"),
                TimeColumns.required(row, "started_at"),
                TimeColumns.instant(row, "closed_at"),
                row.getString("result"),
                row.getString("failure"),
                new RunRecord.Notes(MemoJson.read(row.getString("memo")), details, build),
                links);
    }

    /** The open run of each workflow id, else the one that closed last. */
    public List<RunKey> latest(Collection<String> workflowIds) {
        List<String> asked = List.copyOf(workflowIds);
        return connections.read(TransactionSettings.SHORT, tx -> {
            List<RunKey> latest = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            ReadSql.LATEST,
                            row -> latest.add(
                                    new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id"))),
                            Param.texts(asked, id -> id),
                            shorts(asked, RunIds::shardOf)));
            return latest;
        });
    }

    public List<RunRecord> page(RunFilter filter, int limit) {
        return connections.read(TransactionSettings.LISTING, tx -> new RunSearch(filter).page(tx.dsl(), limit));
    }

    public long count(RunFilter filter, long limit) {
        return connections.read(TransactionSettings.LISTING, tx -> new RunSearch(filter).count(tx.dsl(), limit));
    }

    public Map<WorkflowStatus, Long> tally(RunFilter filter) {
        return connections.read(
                TransactionSettings.LISTING,
                tx -> tx.dsl()
                        .select(WORKFLOW_RUN.STATUS, DSL.count())
                        .from(WORKFLOW_RUN)
                        .where(RunWay.anyRun(filter, filter.statuses()).wanted())
                        .and(WORKFLOW_RUN.STATUS.in(NAMES))
                        .groupBy(WORKFLOW_RUN.STATUS)
                        .fetchMap(
                                row -> WorkflowStatus.valueOf(row.get(WORKFLOW_RUN.STATUS)),
                                row -> row.get(DSL.count()).longValue()));
    }

    static RunRecord record(Record row) {
        return new RunRecord(
                new RunKey(row.get(WORKFLOW_RUN.RUN_ID), row.get(WORKFLOW_RUN.WORKFLOW_ID)),
                row.get(WORKFLOW_RUN.TYPE),
                status(row.get(WORKFLOW_RUN.STATUS), row.get(WORKFLOW_RUN.CLOSED_AT) != null),
                row.get(WORKFLOW_RUN.TASK_QUEUE),
                row.get(WORKFLOW_RUN.STARTED_AT),
                row.get(WORKFLOW_RUN.CLOSED_AT),
                JsonColumns.text(row.get(WORKFLOW_RUN.RESULT)),
                JsonColumns.text(row.get(WORKFLOW_RUN.FAILURE)),
                new RunRecord.Notes(
                        MemoJson.read(JsonColumns.text(row.get(WORKFLOW_RUN.MEMO))),
                        row.get(WORKFLOW_RUN.DETAILS),
                        row.get(Columns.BUILD)),
                new RunRecord.Links(
                        Objects.requireNonNullElse(row.get(WORKFLOW_RUN.CHAIN_ID), row.get(WORKFLOW_RUN.RUN_ID)),
                        row.get(WORKFLOW_RUN.PREVIOUS_RUN_ID),
                        row.get(WORKFLOW_RUN.NEXT_RUN_ID),
                        Objects.requireNonNullElse(row.get(WORKFLOW_RUN.ATTEMPT), 1)));
    }

    /**
     * The status of this name. A name that is unknown, as a newer version or an operator by hand has written it, must
     * not fail a listing of other runs.
     */
    private static WorkflowStatus status(String name, boolean closed) {
        return NAMES.contains(name)
                ? WorkflowStatus.valueOf(name)
                : closed ? WorkflowStatus.TERMINATED : WorkflowStatus.RUNNING;
    }

    static SelectJoinStep<? extends Record> select(Tx tx) throws SQLException {
        return tx.dsl().select(Columns.SHOWN).from(WORKFLOW_RUN);
    }
}
