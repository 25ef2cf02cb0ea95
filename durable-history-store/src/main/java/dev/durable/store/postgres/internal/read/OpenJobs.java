package dev.durable.store.postgres.internal.read;

import static dev.durable.store.postgres.internal.jooq.Tables.ACTIVITY_HEARTBEAT;
import static dev.durable.store.postgres.internal.jooq.Tables.ACTIVITY_JOB;
import static dev.durable.store.postgres.internal.jooq.Tables.SESSION;
import static org.jooq.impl.DSL.row;

import dev.durable.client.ActivityState;
import dev.durable.history.JobNotes;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.JobOrder;
import dev.durable.store.JobRoute;
import dev.durable.store.OpenJob;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.job.JobMatch;
import dev.durable.store.postgres.internal.job.JobState;
import dev.durable.store.postgres.internal.job.OrderSql;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.JsonColumns;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Row2;
import org.jooq.Select;
import org.jooq.SelectJoinStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Reads open jobs for listings and operators. */
public final class OpenJobs {
    private static final Set<ActivityState> IN_HANDS = Set.of(ActivityState.RUNNING, ActivityState.EXTERNAL);

    /** Loaded with the first listing: a process that lists nothing loads none of jOOQ's classes. */
    private static final class Columns {
        static final List<Field<?>> SHOWN = List.of(
                ACTIVITY_JOB.RUN_ID,
                ACTIVITY_JOB.WORKFLOW_ID,
                ACTIVITY_JOB.SEQ,
                ACTIVITY_JOB.ACTIVITY,
                ACTIVITY_JOB.TASK_QUEUE,
                ACTIVITY_JOB.WORKFLOW_TYPE,
                ACTIVITY_JOB.STATE,
                ACTIVITY_JOB.PAUSED,
                ACTIVITY_JOB.BEGUN,
                ACTIVITY_JOB.CANCEL_REQUESTED,
                ACTIVITY_JOB.LEASE,
                ACTIVITY_JOB.ATTEMPT,
                ACTIVITY_JOB.REVISION,
                ACTIVITY_JOB.CRASHES,
                ACTIVITY_JOB.OPTIONS,
                ACTIVITY_JOB.SCHEDULED_AT,
                ACTIVITY_JOB.VISIBLE_AT,
                ACTIVITY_JOB.CLAIMED_AT,
                ACTIVITY_JOB.DEADLINE,
                ACTIVITY_JOB.SILENT_UNTIL,
                ACTIVITY_JOB.SCHEDULE_TO_CLOSE_DEADLINE,
                ACTIVITY_JOB.SESSION,
                ACTIVITY_JOB.LAST_FAILURE,
                ACTIVITY_JOB.BURIED_AT,
                ACTIVITY_JOB.FINGERPRINT,
                ACTIVITY_HEARTBEAT.DETAILS,
                SESSION.IDENTITY);

        /** The large columns of a listing; arguments and notes are read for one job only. */
        static final List<Field<?>> LARGE =
                List.of(ACTIVITY_JOB.OPTIONS, ACTIVITY_JOB.LAST_FAILURE, ACTIVITY_HEARTBEAT.DETAILS);

        static final List<Field<?>> WHOLE =
                List.of(ACTIVITY_JOB.INPUT, ACTIVITY_JOB.NOTES, ACTIVITY_JOB.OPERATOR_NOTES);
    }

    private final Connections connections;

    public OpenJobs(Connections connections) {
        this.connections = connections;
    }

    public List<OpenJob> page(JobFilter filter, int limit) {
        return connections.read(
                TransactionSettings.LISTING,
                tx -> page(tx.dsl(), filter, limit).stream()
                        .map(row -> job(row, filter.isOne()))
                        .toList());
    }

    /** Reads a page. Running and external jobs, which are few among the others, are found by indexes of their own. */
    public static List<? extends Record> page(DSLContext dsl, JobFilter filter, int limit) {
        if (!filter.states().isEmpty() && IN_HANDS.containsAll(filter.states())) {
            RunSearch.plan(dsl, false, true);
        }
        Select<? extends Record> all = select(dsl, filter.isOne())
                .where(JobMatch.matches(filter))
                .orderBy(ACTIVITY_JOB.RUN_ID, ACTIVITY_JOB.SEQ)
                .limit(limit);
        return PagePortion.of(
                        dsl,
                        all,
                        Columns.LARGE,
                        List.of(
                                DSL.field(DSL.name("run_id")).asc(),
                                DSL.field(DSL.name("seq")).asc()))
                .fetch();
    }

    public long count(JobFilter filter, long limit) {
        return connections.read(
                TransactionSettings.LISTING,
                tx -> Objects.requireNonNull(count(tx.dsl(), filter, limit).fetchSingle(0, long.class)));
    }

    public static Select<? extends Record> count(DSLContext dsl, JobFilter filter, long limit) {
        return dsl.selectCount()
                .from(dsl.selectOne()
                        .from(ACTIVITY_JOB)
                        .where(JobMatch.matches(filter))
                        .limit(limit));
    }

    /** Nothing is locked: the order that follows names the state that was read. */
    public List<OpenJob> overdueExternal(int limit) {
        List<Row2<UUID, Integer>> keys = connections.read(TransactionSettings.SHORT, tx -> {
            List<Row2<UUID, Integer>> overdue = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            OrderSql.OVERDUE,
                            found -> overdue.add(row(found.getObject("run_id", UUID.class), found.getInt("seq"))),
                            Param.of(limit)));
            return overdue;
        });
        return keys.isEmpty()
                ? List.of()
                : connections.read(
                        TransactionSettings.READ,
                        tx -> select(tx.dsl(), false)
                                .where(
                                        row(ACTIVITY_JOB.RUN_ID, ACTIVITY_JOB.SEQ)
                                                .in(keys),
                                        stillExternal())
                                .fetch(row -> job(row, false)));
    }

    private static Condition stillExternal() {
        return ACTIVITY_JOB.STATE.eq(JobState.EXTERNAL.code());
    }

    /**
     * The columns that a listing shows.
     *
     * @param whole whether to include arguments and notes, which may be large
     */
    private static SelectJoinStep<? extends Record> select(DSLContext dsl, boolean whole) {
        List<Field<?>> shown = new ArrayList<>(Columns.SHOWN);
        shown.addAll(whole ? Columns.WHOLE : List.of());
        return dsl.select(shown)
                .from(ACTIVITY_JOB)
                .leftJoin(ACTIVITY_HEARTBEAT)
                .on(
                        ACTIVITY_HEARTBEAT.RUN_ID.eq(ACTIVITY_JOB.RUN_ID),
                        ACTIVITY_HEARTBEAT.SEQ.eq(ACTIVITY_JOB.SEQ),
                        ACTIVITY_HEARTBEAT.SHARD.eq(ACTIVITY_JOB.SHARD))
                .leftJoin(SESSION)
                .on(SESSION.ID.eq(ACTIVITY_JOB.SESSION));
    }

    private static OpenJob job(Record job, boolean whole) {
        UUID session = job.get(ACTIVITY_JOB.SESSION);
        return new OpenJob(
                new JobKey(
                        new RunKey(job.get(ACTIVITY_JOB.RUN_ID), job.get(ACTIVITY_JOB.WORKFLOW_ID)),
                        job.get(ACTIVITY_JOB.SEQ)),
                new JobRoute(
                        job.get(ACTIVITY_JOB.ACTIVITY),
                        job.get(ACTIVITY_JOB.TASK_QUEUE),
                        job.get(ACTIVITY_JOB.WORKFLOW_TYPE)),
                new OpenJob.Status(
                        ActivityState.valueOf(
                                JobState.of(job.get(ACTIVITY_JOB.STATE)).name()),
                        job.get(ACTIVITY_JOB.PAUSED),
                        job.get(ACTIVITY_JOB.BEGUN),
                        job.get(ACTIVITY_JOB.CANCEL_REQUESTED),
                        job.get(ACTIVITY_JOB.CRASHES)),
                new JobOrder.Seen(
                        job.get(ACTIVITY_JOB.LEASE), job.get(ACTIVITY_JOB.ATTEMPT), job.get(ACTIVITY_JOB.REVISION)),
                whole ? job.get(ACTIVITY_JOB.INPUT).data() : null,
                job.get(ACTIVITY_JOB.OPTIONS).data(),
                times(job),
                session == null ? null : new OpenJob.Worker(session, job.get(SESSION.IDENTITY)),
                new OpenJob.Report(
                        job.get(ACTIVITY_JOB.LAST_FAILURE),
                        JsonColumns.text(job.get(ACTIVITY_HEARTBEAT.DETAILS)),
                        whole ? notes(job) : null),
                burial(job));
    }

    private static @Nullable String notes(Record job) {
        return JobNotes.joined(
                JsonColumns.text(job.get(ACTIVITY_JOB.NOTES)), JsonColumns.text(job.get(ACTIVITY_JOB.OPERATOR_NOTES)));
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
