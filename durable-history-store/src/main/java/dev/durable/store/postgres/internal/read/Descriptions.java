package dev.durable.store.postgres.internal.read;

import static dev.durable.store.postgres.internal.jooq.Tables.ACTIVITY_HEARTBEAT;
import static dev.durable.store.postgres.internal.jooq.Tables.ACTIVITY_JOB;
import static dev.durable.store.postgres.internal.jooq.Tables.HISTORY_EVENT;
import static dev.durable.store.postgres.internal.jooq.Tables.INBOX;
import static dev.durable.store.postgres.internal.jooq.Tables.RUN_STATE;
import static dev.durable.store.postgres.internal.jooq.Tables.WORKFLOW_RUN;
import static org.jooq.impl.DSL.max;

import dev.durable.client.WaitingReason;
import dev.durable.client.WorkflowDescription.Parent;
import dev.durable.client.WorkflowDescription.PendingActivity;
import dev.durable.history.OptionsJson;
import dev.durable.store.RunDetails;
import dev.durable.store.RunIds;
import dev.durable.store.RunRecord;
import dev.durable.store.postgres.internal.job.JobState;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.JsonColumns;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Reads the description of one run: its row, state, inbox and activities. */
public final class Descriptions {
    private final Connections connections;

    public Descriptions(Connections connections) {
        this.connections = connections;
    }

    public Optional<RunDetails> of(UUID runId) {
        return connections.read(TransactionSettings.READ, tx -> {
            Optional<RunRecord> run = Listings.select(tx)
                    .where(WORKFLOW_RUN.RUN_ID.eq(runId), WORKFLOW_RUN.SHARD.eq((short) RunIds.shard(runId)))
                    .fetchOptional(Listings::record);
            return run.isPresent() ? Optional.of(describe(tx, run.get())) : Optional.empty();
        });
    }

    /** Reads why those of the runs have stalled that have. */
    public Map<UUID, String> stalledBy(Collection<UUID> runIds) {
        return connections.read(
                TransactionSettings.LISTING,
                tx -> tx.dsl()
                        .select(RUN_STATE.RUN_ID, RUN_STATE.STALLED_BY)
                        .from(RUN_STATE)
                        .where(
                                RUN_STATE.RUN_ID.eq(DSL.any(runIds.toArray(UUID[]::new))),
                                RUN_STATE.STALLED_BY.isNotNull())
                        .fetchMap(RUN_STATE.RUN_ID, RUN_STATE.STALLED_BY));
    }

    public List<WaitingReason> waitingReasons(UUID runId) {
        return connections.read(TransactionSettings.READ, tx -> {
            List<WaitingReason> reasons = new ArrayList<>();
            tx.run(new SqlScript().read("""
                            select kind, what, since, until, served_by, ended_by, reason
                              from durable.waiting_reasons(?) with ordinality
                                   as r(kind, what, since, until, served_by, ended_by, reason, place)
                             order by place""", row -> reasons.add(waitingReason(row)), Param.of(runId)));
            return reasons;
        });
    }

    private static WaitingReason waitingReason(ResultSet row) throws SQLException {
        return new WaitingReason(
                WaitingReason.Kind.valueOf(row.getString("kind")),
                row.getString("what"),
                TimeColumns.instant(row, "since"),
                TimeColumns.instant(row, "until"),
                List.of((String[]) row.getArray("served_by").getArray()),
                row.getString("ended_by"),
                row.getString("reason"));
    }

    private static RunDetails describe(Tx tx, RunRecord run) throws SQLException {
        UUID runId = run.run().runId();
        short shard = (short) run.run().shard();
        Record state = tx.dsl()
                .select(
                        RUN_STATE.STALLED_BY,
                        RUN_STATE.OWNED_UNTIL,
                        RUN_STATE.LAST_SESSION,
                        RUN_STATE.WAKE_AT,
                        RUN_STATE.PAUSED)
                .from(RUN_STATE)
                .where(RUN_STATE.RUN_ID.eq(runId), RUN_STATE.SHARD.eq(shard))
                .fetchOne();
        Long events = tx.dsl()
                .select(max(HISTORY_EVENT.EVENT_ID))
                .from(HISTORY_EVENT)
                .where(HISTORY_EVENT.RUN_ID.eq(runId), HISTORY_EVENT.SHARD.eq(shard))
                .fetchSingle(max(HISTORY_EVENT.EVENT_ID));
        int messages = tx.dsl().fetchCount(INBOX, INBOX.RUN_ID.eq(runId), INBOX.SHARD.eq(shard));
        return new RunDetails(
                run,
                events == null ? 0 : events,
                state == null ? null : state.get(RUN_STATE.STALLED_BY),
                state == null ? null : state.get(RUN_STATE.OWNED_UNTIL),
                state == null ? null : state.get(RUN_STATE.LAST_SESSION),
                state == null ? null : state.get(RUN_STATE.WAKE_AT),
                messages,
                jobs(tx, runId, shard),
                startedBy(tx, runId, shard),
                state != null && state.get(RUN_STATE.PAUSED),
                parent(tx, runId, shard));
    }

    private static @Nullable Parent parent(Tx tx, UUID runId, short shard) throws SQLException {
        return tx.dsl()
                .select(
                        WORKFLOW_RUN.PARENT_WORKFLOW_ID,
                        WORKFLOW_RUN.PARENT_CHAIN,
                        WORKFLOW_RUN.PARENT_NUMBER,
                        WORKFLOW_RUN.ROOT_CHAIN)
                .from(WORKFLOW_RUN)
                .where(
                        WORKFLOW_RUN.RUN_ID.eq(runId),
                        WORKFLOW_RUN.SHARD.eq(shard),
                        WORKFLOW_RUN.PARENT_CHAIN.isNotNull())
                .fetchOne(row -> new Parent(row.value1(), row.value2(), row.value3(), row.value4()));
    }

    private static @Nullable String startedBy(Tx tx, UUID runId, short shard) throws SQLException {
        Field<String> startedBy = DSL.field("readable(history_event.attributes) ->> 'startedBy'", String.class);
        return tx.dsl()
                .select(startedBy)
                .from(HISTORY_EVENT)
                .where(HISTORY_EVENT.RUN_ID.eq(runId), HISTORY_EVENT.SHARD.eq(shard), HISTORY_EVENT.EVENT_ID.eq(1L))
                .fetchOne(startedBy);
    }

    private static List<PendingActivity> jobs(Tx tx, UUID runId, short shard) throws SQLException {
        return tx.dsl()
                .select(
                        ACTIVITY_JOB.SEQ,
                        ACTIVITY_JOB.ACTIVITY,
                        ACTIVITY_JOB.STATE,
                        ACTIVITY_JOB.CANCEL_REQUESTED,
                        ACTIVITY_JOB.ATTEMPT,
                        ACTIVITY_JOB.VISIBLE_AT,
                        ACTIVITY_JOB.SESSION,
                        ACTIVITY_JOB.LAST_FAILURE,
                        ACTIVITY_JOB.OPTIONS,
                        ACTIVITY_HEARTBEAT.DETAILS)
                .from(ACTIVITY_JOB)
                .leftJoin(ACTIVITY_HEARTBEAT)
                .on(
                        ACTIVITY_HEARTBEAT.RUN_ID.eq(ACTIVITY_JOB.RUN_ID),
                        ACTIVITY_HEARTBEAT.SEQ.eq(ACTIVITY_JOB.SEQ),
                        ACTIVITY_HEARTBEAT.SHARD.eq(ACTIVITY_JOB.SHARD))
                .where(ACTIVITY_JOB.RUN_ID.eq(runId), ACTIVITY_JOB.SHARD.eq(shard))
                .orderBy(ACTIVITY_JOB.SEQ)
                .fetch(Descriptions::activity);
    }

    private static PendingActivity activity(Record job) {
        return new PendingActivity(
                job.get(ACTIVITY_JOB.SEQ),
                job.get(ACTIVITY_JOB.ACTIVITY),
                state(job),
                job.get(ACTIVITY_JOB.ATTEMPT),
                job.get(ACTIVITY_JOB.VISIBLE_AT),
                job.get(ACTIVITY_JOB.SESSION),
                job.get(ACTIVITY_JOB.LAST_FAILURE),
                JsonColumns.text(job.get(ACTIVITY_HEARTBEAT.DETAILS)),
                OptionsJson.decodeIfReadable(job.get(ACTIVITY_JOB.OPTIONS).data())
                        .summary());
    }

    private static String state(Record job) {
        JobState state = JobState.of(job.get(ACTIVITY_JOB.STATE));
        return state.isLeased() && job.get(ACTIVITY_JOB.CANCEL_REQUESTED)
                ? "cancelling"
                : state.name().toLowerCase(Locale.ROOT);
    }
}
