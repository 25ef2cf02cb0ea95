package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.jooq.Tables.ACTIVITY_JOB;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;

import dev.durable.client.ActivityState;
import dev.durable.history.InboxMessage;
import dev.durable.store.FailedJobGroup;
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
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/**
 * Lists dead letters and incidents in groups of one failure, finds the groups that are due for an alert, and purges old dead
 * letters.
 */
public final class FailedJobs {
    /** Loaded with the first listing: a process that lists nothing loads none of jOOQ's classes. */
    private static final class Columns {
        static final Field<Integer> COUNT = count().as("count");
        static final Field<Instant> FIRST = min(ACTIVITY_JOB.BURIED_AT).as("first_seen");
        static final Field<Instant> LAST = max(ACTIVITY_JOB.BURIED_AT).as("last_seen");
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

    /**
     * Counts by the short columns only, and reads the texts of the latest member of each group that is shown; otherwise
     * the texts of a hundred thousand rows would be sorted.
     */
    public static Select<? extends Record> groups(DSLContext dsl, JobFilter filter, int limit) {
        Condition wanted =
                JobMatch.matches(filter).and(JobMatch.in(Set.of(ActivityState.DEAD, ActivityState.INCIDENT)));
        Table<?> groups = dsl.select(ACTIVITY_JOB.FINGERPRINT, Columns.COUNT, Columns.FIRST, Columns.LAST)
                .from(ACTIVITY_JOB)
                .where(wanted)
                .groupBy(ACTIVITY_JOB.FINGERPRINT)
                .orderBy(max(ACTIVITY_JOB.BURIED_AT).desc(), ACTIVITY_JOB.FINGERPRINT)
                .limit(limit)
                .asTable("alike");
        Field<String> fingerprint = Objects.requireNonNull(groups.field(ACTIVITY_JOB.FINGERPRINT));
        Field<Instant> last = Objects.requireNonNull(groups.field(Columns.LAST));
        Table<?> latest = lateral(dsl.select(
                        ACTIVITY_JOB.ACTIVITY,
                        ACTIVITY_JOB.LAST_FAILURE,
                        ACTIVITY_JOB.RUN_ID,
                        ACTIVITY_JOB.WORKFLOW_ID,
                        ACTIVITY_JOB.SEQ)
                .from(ACTIVITY_JOB)
                .where(wanted, ACTIVITY_JOB.FINGERPRINT.eq(fingerprint), ACTIVITY_JOB.BURIED_AT.eq(last))
                .orderBy(ACTIVITY_JOB.RUN_ID, ACTIVITY_JOB.SEQ)
                .limit(1)
                .asTable("latest"));
        return dsl.select(groups.fields())
                .select(latest.fields())
                .from(groups.crossJoin(latest))
                .orderBy(last.desc(), fingerprint);
    }

    private static FailedJobGroup group(Record row) {
        return new FailedJobGroup(
                row.get(ACTIVITY_JOB.FINGERPRINT.getUnqualifiedName(), String.class),
                row.get(ACTIVITY_JOB.ACTIVITY.getUnqualifiedName(), String.class),
                row.get(Columns.COUNT.getUnqualifiedName(), Long.class),
                row.get(Columns.FIRST.getUnqualifiedName(), Instant.class),
                row.get(Columns.LAST.getUnqualifiedName(), Instant.class),
                row.get(ACTIVITY_JOB.LAST_FAILURE.getUnqualifiedName(), String.class),
                new JobKey(
                        new RunKey(
                                row.get(ACTIVITY_JOB.RUN_ID.getUnqualifiedName(), UUID.class),
                                row.get(ACTIVITY_JOB.WORKFLOW_ID.getUnqualifiedName(), String.class)),
                        row.get(ACTIVITY_JOB.SEQ.getUnqualifiedName(), Integer.class)));
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
