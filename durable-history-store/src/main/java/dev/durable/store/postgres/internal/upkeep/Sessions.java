package dev.durable.store.postgres.internal.upkeep;

import static dev.durable.store.postgres.internal.sql.Param.texts;

import dev.durable.store.HeldJob;
import dev.durable.store.JobKey;
import dev.durable.store.Nudges;
import dev.durable.store.RunKey;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import dev.durable.store.TimedOutIdleJob.Timeout;
import dev.durable.store.postgres.internal.job.IdleJobs;
import dev.durable.store.postgres.internal.job.JobSql;
import dev.durable.store.postgres.internal.job.LimitPlaceSql;
import dev.durable.store.postgres.internal.job.LockedJob;
import dev.durable.store.postgres.internal.job.SweptJobs;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SafeText;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements the sessions of worker processes: open, beat, declare dead, re-queue their jobs. */
public final class Sessions {
    private final Connections connections;
    private final Nudges nudges;

    private final SweptJobs orphans;
    private final SweptJobs overdue;

    public Sessions(Connections connections, Nudges nudges, LongSupplier nanoTime) {
        this.connections = connections;
        this.nudges = nudges;
        this.orphans = new SweptJobs(connections, SessionSql.LOCK_ORPHANS, SessionSql.isOrphan(), nanoTime);
        this.overdue = new SweptJobs(connections, JobSql.LOCK_OVERDUE, JobSql.isIdle(), nanoTime);
    }

    public void open(UUID session, String identity, Duration lease, @Nullable Served served) {
        touched(
                SessionSql.OPEN,
                Param.of(session),
                Param.of(lease.toMillis()),
                Param.of(SafeText.storable(identity)),
                names(served == null ? null : served.queues()),
                names(served == null ? null : served.activities()),
                names(served == null ? null : served.workflowTypes()),
                Param.of(served == null ? null : served.build()));
    }

    private static Param names(@Nullable Set<String> names) {
        return names == null ? Param.of((Object) null) : texts(List.copyOf(names), name -> name);
    }

    private static @Nullable Served served(ResultSet row) throws SQLException {
        Array queues = row.getArray("queues");
        Array activities = row.getArray("activities");
        Array types = row.getArray("workflow_types");
        return queues == null || activities == null
                ? null
                : new Served(
                        names(queues), names(activities), types == null ? null : names(types), row.getString("build"));
    }

    /** The names in an array, whatever its row contains, as the row must not hide the other sessions in a listing. */
    private static Set<String> names(Array array) throws SQLException {
        return Stream.of((Object[]) array.getArray())
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .collect(Collectors.toUnmodifiableSet());
    }

    public boolean beat(UUID session) {
        return touched(SessionSql.BEAT, Param.of(session));
    }

    public boolean markDead(UUID session, long beat) {
        return touched(SessionSql.MARK_DEAD, Param.of(session), Param.of(beat));
    }

    public List<SessionInfo> list() {
        return rows(
                SessionSql.LIST,
                row -> new SessionInfo(
                        row.getObject("id", UUID.class),
                        row.getString("identity"),
                        row.getLong("beat"),
                        row.getBoolean("dead"),
                        Duration.ofMillis(row.getLong("lease_ms")),
                        TimeColumns.required(row, "started_at"),
                        served(row)));
    }

    public List<HeldJob> held(UUID session) {
        return rows(
                SessionSql.HELD,
                row -> new HeldJob(
                        new JobKey(run(row), row.getInt("seq")),
                        row.getObject("lease", UUID.class),
                        row.getBoolean("cancel_requested"),
                        ordered(row)),
                Param.of(session));
    }

    private static HeldJob.@Nullable Ordered ordered(ResultSet row) throws SQLException {
        int revision = row.getInt("revision");
        return revision == 0
                ? null
                : new HeldJob.Ordered(
                        revision,
                        TimeColumns.instant(row, "deadline"),
                        row.getString("options"),
                        TimeColumns.instant(row, "schedule_to_close_deadline"),
                        row.getString("operator_notes"));
    }

    public void close(UUID session) {
        PendingNudges hints = new PendingNudges();
        OrphanedJobs left = connections.transaction(TransactionSettings.LONG, tx -> {
            OrphanedJobs jobs = new OrphanedJobs(hints);
            tx.run(new SqlScript().read(SessionSql.LOCK_JOBS_OF, jobs::released, Param.of(session)));
            SqlScript script = new SqlScript()
                    .then(SessionSql.CLOSE, Param.of(session))
                    .then(LimitPlaceSql.FREE_ALL_OF, Param.of(session));
            jobs.write(tx, script);
            tx.last(script);
            return jobs;
        });
        left.logFailed();
        hints.sendTo(nudges);
    }

    public int requeueOrphans(int limit) {
        return orphansOrDead() ? orphans.sweep(limit, this::requeueOrphans) : 0;
    }

    private int requeueOrphans(int limit, Set<JobKey> without) {
        PendingNudges hints = new PendingNudges();
        OrphanedJobs touched = connections.transaction(TransactionSettings.SHORT, tx -> {
            OrphanedJobs jobs = new OrphanedJobs(hints);
            tx.run(orphans.lock(limit, without, jobs::crashed));
            SqlScript script = new SqlScript();
            jobs.write(tx, script);
            tx.last(script.then(SessionSql.FORGET).then(LimitPlaceSql.FORGET));
            return jobs;
        });
        touched.logFailed();
        hints.sendTo(nudges);
        return touched.count();
    }

    private boolean orphansOrDead() {
        return rows(SessionSql.ORPHANS_OR_DEAD, row -> row.getBoolean("found")).getFirst();
    }

    public int timeOutWaiting(int limit) {
        return overdue.sweep(limit, this::timeOutWaiting);
    }

    private int timeOutWaiting(int limit, Set<JobKey> without) {
        PendingNudges hints = new PendingNudges();
        int ended = connections.transaction(TransactionSettings.SHORT, tx -> {
            Map<LockedJob, Timeout> overdue = new LinkedHashMap<>();
            tx.run(this.overdue.lock(limit, without, row -> overdue.put(LockedJob.read(row, run(row)), timeout(row))));
            SqlScript script = new SqlScript();
            IdleJobs.timeOut(overdue, tx, script, hints);
            tx.last(script);
            return overdue.size();
        });
        hints.sendTo(nudges);
        return ended;
    }

    private static Timeout timeout(ResultSet row) throws SQLException {
        return Timeout.of(row.getBoolean("to_close"), TimeColumns.instant(row, "to_start"), row.getString("options"));
    }

    private boolean touched(String sql, Param... params) {
        return !connections
                .transaction(
                        TransactionSettings.SHORT, tx -> rows(tx, sql, row -> row.getObject("id", UUID.class), params))
                .isEmpty();
    }

    private <T> List<T> rows(String sql, Reader<T> reader, Param... params) {
        return connections.read(TransactionSettings.SHORT, tx -> rows(tx, sql, reader, params));
    }

    private static <T> List<T> rows(Tx tx, String sql, Reader<T> reader, Param... params) throws SQLException {
        List<T> rows = new ArrayList<>();
        tx.last(new SqlScript().read(sql, row -> rows.add(reader.read(row)), params));
        return rows;
    }

    private static RunKey run(ResultSet row) throws SQLException {
        return new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id"));
    }

    @FunctionalInterface
    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }
}
