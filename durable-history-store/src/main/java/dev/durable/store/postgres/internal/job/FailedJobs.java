package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.jooq.Tables.ACTIVITY_JOB;
import static org.jooq.impl.DSL.arrayAgg;
import static org.jooq.impl.DSL.arrayGet;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;

import dev.durable.client.ActivityState;
import dev.durable.store.FailedJobGroup;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobFilter;
import dev.durable.store.JobKey;
import dev.durable.store.Nudges;
import dev.durable.store.PurgedDeadLetter;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jspecify.annotations.Nullable;

/**
 * Lists dead letters and incidents in groups of one failure, finds the groups that are due for an alert, and purges old dead
 * letters.
 */
public final class FailedJobs {
    /** Made with the first listing: a process that lists nothing loads none of jOOQ's classes. */
    private static final class Columns {
        static final Field<Integer> COUNT = count();
        static final Field<Instant> FIRST = min(ACTIVITY_JOB.BURIED_AT);
        static final Field<Instant> LAST = max(ACTIVITY_JOB.BURIED_AT);
        static final Field<String> ACTIVITY = min(ACTIVITY_JOB.ACTIVITY);
        static final Field<String> FAILURE = latest(ACTIVITY_JOB.LAST_FAILURE);
        static final Field<UUID> RUN = latest(ACTIVITY_JOB.RUN_ID);
        static final Field<String> WORKFLOW = latest(ACTIVITY_JOB.WORKFLOW_ID);
        static final Field<Integer> SEQ = latest(ACTIVITY_JOB.SEQ);

        /** Of the group's latest: one value, however many the group has. */
        private static <T> Field<T> latest(Field<T> column) {
            return arrayGet(arrayAgg(column).orderBy(ACTIVITY_JOB.BURIED_AT.desc(), ACTIVITY_JOB.RUN_ID), 1)
                    .as("latest_" + column.getName());
        }
    }

    private final Connections connections;
    private final Nudges nudges;

    private record Dead(@Nullable String lastFailure, Instant now) {}

    public FailedJobs(Connections connections, Nudges nudges) {
        this.connections = connections;
        this.nudges = nudges;
    }

    public List<FailedJobGroup> groups(JobFilter filter, int limit) {
        return connections.read(
                TransactionSettings.READ, tx -> groups(tx.dsl(), filter, limit).fetch(FailedJobs::group));
    }

    public static Select<? extends Record> groups(DSLContext dsl, JobFilter filter, int limit) {
        return dsl.select(
                        ACTIVITY_JOB.FINGERPRINT,
                        Columns.ACTIVITY,
                        Columns.COUNT,
                        Columns.FIRST,
                        Columns.LAST,
                        Columns.FAILURE,
                        Columns.RUN,
                        Columns.WORKFLOW,
                        Columns.SEQ)
                .from(ACTIVITY_JOB)
                .where(JobMatch.matches(filter), JobMatch.in(Set.of(ActivityState.DEAD, ActivityState.INCIDENT)))
                .groupBy(ACTIVITY_JOB.FINGERPRINT)
                .orderBy(Columns.LAST.desc(), ACTIVITY_JOB.FINGERPRINT)
                .limit(limit);
    }

    private static FailedJobGroup group(Record row) {
        return new FailedJobGroup(
                row.get(ACTIVITY_JOB.FINGERPRINT),
                row.get(Columns.ACTIVITY),
                row.get(Columns.COUNT),
                row.get(Columns.FIRST),
                row.get(Columns.LAST),
                row.get(Columns.FAILURE),
                new JobKey(new RunKey(row.get(Columns.RUN), row.get(Columns.WORKFLOW)), row.get(Columns.SEQ)));
    }

    public List<FailedJobGroup> alertsDue(Duration quiet, int limit) {
        return connections.transaction(TransactionSettings.SHORT, tx -> {
            List<FailedJobGroup> due = new ArrayList<>();
            tx.last(new SqlScript()
                    .read(
                            FailedJobSql.ALERTS_DUE,
                            row -> due.add(alert(row)),
                            Param.of(quiet.toMillis()),
                            Param.of(limit),
                            Param.of(quiet.toMillis())));
            return due;
        });
    }

    private static FailedJobGroup alert(ResultSet row) throws SQLException {
        return new FailedJobGroup(
                row.getString("fingerprint"),
                row.getString("activity"),
                row.getLong("count"),
                TimeColumns.required(row, "first_seen"),
                TimeColumns.required(row, "last_seen"),
                row.getString("last_failure"),
                new JobKey(
                        new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id")),
                        row.getInt("seq")));
    }

    public int purge(Duration kept, int maxDeadLetters, int limit) {
        PendingNudges hints = new PendingNudges();
        int purged = connections.transaction(TransactionSettings.SHORT, tx -> {
            Map<LockedJob, Dead> dead = new LinkedHashMap<>();
            tx.run(new SqlScript()
                    .read(
                            FailedJobSql.LOCK_OVER,
                            row -> dead.put(
                                    LockedJob.read(
                                            row,
                                            new RunKey(
                                                    row.getObject("run_id", UUID.class), row.getString("workflow_id"))),
                                    new Dead(row.getString("last_failure"), TimeColumns.required(row, "now"))),
                            Param.of(kept.toMillis()),
                            Param.of(maxDeadLetters),
                            Param.of(limit)));
            SqlScript script = new SqlScript();
            new IdleJobs(List.copyOf(dead.keySet())).end((job, details) -> outcome(job, dead), tx, script, hints);
            tx.last(script.then(FailedJobSql.FORGET_ALERTS));
            return dead.size();
        });
        hints.sendTo(nudges);
        return purged;
    }

    private static InboxMessage outcome(LockedJob job, Map<LockedJob, Dead> dead) {
        Dead it = Objects.requireNonNull(dead.get(job));
        return PurgedDeadLetter.outcome(job.key(), job.attempt(), it.lastFailure(), it.now(), job.allNotes());
    }
}
