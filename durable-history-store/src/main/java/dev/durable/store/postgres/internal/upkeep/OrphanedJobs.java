package dev.durable.store.postgres.internal.upkeep;

import dev.durable.history.InboxMessage;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobKey;
import dev.durable.store.OrphanedJob;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.job.Cancellations;
import dev.durable.store.postgres.internal.job.FailedJobRows;
import dev.durable.store.postgres.internal.job.HeartbeatRows;
import dev.durable.store.postgres.internal.job.IdleJobs;
import dev.durable.store.postgres.internal.job.LockedJob;
import dev.durable.store.postgres.internal.job.ReturnedJob;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads running jobs whose sessions are gone, under lock, and writes {@link OrphanedJob}'s decisions on them. */
final class OrphanedJobs {
    /** The engine's log of incidents, too: an incident of a job whose worker died is raised in no engine. */
    private static final Logger log = LoggerFactory.getLogger("dev.durable.failed.Incident");

    private final PendingNudges nudges;
    private final List<JobKey> crashed = new ArrayList<>();
    private final List<ReturnedJob> released = new ArrayList<>();
    private final List<LockedJob> cancelled = new ArrayList<>();
    private final List<FailedJobRows> failed = new ArrayList<>();
    private final List<LockedJob> ended = new ArrayList<>();
    private final Map<JobKey, InboxMessage> outcomes = new HashMap<>();
    private int count;
    private @Nullable String firstFailed;

    OrphanedJobs(PendingNudges nudges) {
        this.nudges = nudges;
    }

    /** Adds a job whose session was declared dead. */
    void crashed(ResultSet row) throws SQLException {
        LockedJob job = job(row);
        take(job, orphaned(job, row).afterCrash(now(row)));
    }

    /** Adds a job whose session was closed in good order. */
    void released(ResultSet row) throws SQLException {
        LockedJob job = job(row);
        take(job, orphaned(job, row).afterClose(now(row)));
    }

    int count() {
        return count;
    }

    private static LockedJob job(ResultSet row) throws SQLException {
        return LockedJob.read(row, new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id")));
    }

    private static Instant now(ResultSet row) throws SQLException {
        return TimeColumns.required(row, "now");
    }

    private static OrphanedJob orphaned(LockedJob job, ResultSet row) throws SQLException {
        return new OrphanedJob(
                job.key(),
                row.getString("activity"),
                row.getString("workflow_type"),
                job.attempt(),
                row.getInt("crashes"),
                job.cancelRequested(),
                OrphanedJob.Options.of(row.getInt("max_crashes"), row.getString("options")),
                job.notes(),
                job.operatorNotes());
    }

    private void take(LockedJob job, OrphanedJob.Decision decision) {
        count++;
        switch (decision) {
            case OrphanedJob.Decision.Requeued how -> {
                if (how.crash() > 0) {
                    crashed.add(job.key());
                } else {
                    released.add(new ReturnedJob(job.key(), 0, null, true));
                }
                nudges.jobs(job.taskQueue());
            }
            case OrphanedJob.Decision.Cancelled ignored -> cancelled.add(job);
            case OrphanedJob.Decision.Ended how -> {
                ended.add(job);
                outcomes.put(job.key(), how.outcome());
            }
            case OrphanedJob.Decision.Failed how -> {
                failed.add(FailedJobRows.of(job.key(), how));
                if (firstFailed == null) {
                    firstFailed = "activity " + job.key().seq() + " of workflow "
                            + job.key().run().shown() + ": " + Bounds.lines(how.lastFailure());
                }
                nudges.buried();
            }
        }
    }

    void write(Tx tx, SqlScript script) throws SQLException {
        if (!crashed.isEmpty()) {
            script.then(
                    SessionSql.CRASH,
                    HeartbeatRows.keys(
                            crashed.stream().sorted(JobKey.LOCK_ORDER).toList()));
        }
        if (!released.isEmpty()) {
            ReturnedJob.write(released, script);
        }
        FailedJobRows.write(failed, script);
        new IdleJobs(ended).end((job, details) -> Objects.requireNonNull(outcomes.get(job.key())), tx, script, nudges);
        Cancellations.end(cancelled, tx, script, nudges);
    }

    /** Logs, after the commit, which of the jobs wait for an operator. */
    void logFailed() {
        if (!failed.isEmpty()) {
            log.error(
                    "activities whose workers died wait for an operator as incidents or dead letters: {}, such as {}",
                    failed.size(),
                    firstFailed);
        }
    }
}
