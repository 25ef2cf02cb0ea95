package dev.durable.store.postgres.internal.queue;

import static dev.durable.store.postgres.internal.sql.Param.texts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.ClaimedJob;
import dev.durable.store.JobClaim;
import dev.durable.store.JobContent;
import dev.durable.store.JobDeadlines;
import dev.durable.store.JobKey;
import dev.durable.store.JobRoute;
import dev.durable.store.QueueStore;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.job.HeartbeatRows;
import dev.durable.store.postgres.internal.job.JobSql;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.RefusedRows;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Claims ready jobs, each under a new lease token that will be the message id of its outcome. */
public final class JobClaims {
    private final Connections connections;

    private final RefusedRows<JobKey> refused;

    public JobClaims(Connections connections, LongSupplier nanoTime) {
        this.connections = connections;
        this.refused = new RefusedRows<>("activity", nanoTime);
    }

    public List<ClaimedJob> claim(JobClaim claim) {
        if (claim.limit() <= 0) {
            return List.of();
        }
        return withDetails(refused.take(
                claim.limit(),
                (most, without) -> claimed(without(claim, without), most),
                rows -> !rows.isEmpty(),
                new RefusedJob(connections, claim)));
    }

    private List<Row> claimed(JobClaim claim, int most) {
        return connections.transaction(TransactionSettings.SHORT, tx -> {
            List<Row> claimed = new ArrayList<>();
            String sql = claim.without().isEmpty() ? JobSql.CLAIM : JobSql.CLAIM_WITHOUT;
            tx.last(new SqlScript().read(sql, row -> claimed.add(Row.read(row)), params(claim, most)));
            return claimed;
        });
    }

    /** The claim with these jobs left out, too. */
    static JobClaim without(JobClaim claim, Set<JobKey> others) {
        if (others.isEmpty()) {
            return claim;
        }
        Set<JobKey> all = new HashSet<>(claim.without());
        all.addAll(others);
        return new JobClaim(claim.session(), claim.taskQueue(), claim.activities(), claim.limit(), all);
    }

    /**
     * Claims jobs of a queue with limits, one claim at a time over all workers, by the lock of the queue's row; a claim
     * that finds it locked is to be tried again a moment later. Running jobs are counted by a statement after the lock,
     * which sees those of the claim that held the lock before.
     */
    public QueueStore.LimitedClaim claimLimited(JobClaim claim) {
        if (claim.limit() <= 0) {
            return new QueueStore.LimitedClaim(List.of(), null);
        }
        List<@Nullable Duration> retryIn = new ArrayList<>();
        List<Row> rows = refused.take(
                claim.limit(),
                (most, without) -> claimedLimited(without(claim, without), most, retryIn),
                claimed -> !claimed.isEmpty(),
                new RefusedJob(connections, claim));
        return new QueueStore.LimitedClaim(withDetails(rows), retryIn.getFirst());
    }

    private List<Row> claimedLimited(JobClaim claim, int atMost, List<@Nullable Duration> retryIn) {
        return connections.transaction(TransactionSettings.SHORT, tx -> {
            List<Row> claimed = new ArrayList<>();
            LimitedQueue queue = LimitedQueue.lock(tx, claim.taskQueue());
            int most = queue.room(atMost);
            if (most > 0) {
                String sql = claim.without().isEmpty() ? JobSql.CLAIM_LIMITED : JobSql.CLAIM_LIMITED_WITHOUT;
                tx.run(new SqlScript().read(sql, row -> claimed.add(Row.read(row)), params(claim, most)));
            }
            SqlScript script = new SqlScript();
            queue.began(claimed.stream().map(Row::start).toList(), script);
            tx.last(script);
            retryIn.clear();
            retryIn.add(queue.retryIn(atMost, claimed.size()));
            return claimed;
        });
    }

    private List<ClaimedJob> withDetails(List<Row> rows) {
        rows.sort(Comparator.comparing(Row::rank));
        Map<JobKey, String> details = details(rows);
        return rows.stream().map(row -> row.job(details.get(row.job().key()))).toList();
    }

    private static Param[] params(JobClaim claim, int most) {
        Param session = Param.of(claim.session());
        List<Param> params =
                new ArrayList<>(List.of(Param.of(UUID.randomUUID()), session, session, Param.of(claim.taskQueue())));
        params.addAll(candidates(claim, most));
        return params.toArray(Param[]::new);
    }

    /** The parameters of the part of the claim that selects jobs. */
    static List<Param> candidates(JobClaim claim, int most) {
        Param queue = Param.of(claim.taskQueue());
        List<Param> jobs = new ArrayList<>();
        jobs.add(texts(List.copyOf(claim.activities()), a -> a));
        if (!claim.without().isEmpty()) {
            List<JobKey> without = List.copyOf(claim.without());
            jobs.add(uuids(without, key -> key.run().runId()));
            jobs.add(texts(without, key -> key.run().runId() + " " + key.seq()));
        }
        Param limit = Param.of(most);
        List<Param> params = new ArrayList<>(List.of(queue));
        params.addAll(jobs);
        params.addAll(List.of(Param.of("-infinity"), limit, queue));
        params.addAll(jobs);
        params.addAll(List.of(limit, limit));
        return params;
    }

    /**
     * Reads heartbeat details in a transaction of its own, and only of jobs that can have some: no other process writes
     * them now.
     */
    private Map<JobKey, String> details(List<Row> rows) {
        List<JobKey> begun =
                rows.stream().filter(Row::begun).map(row -> row.job().key()).toList();
        return begun.isEmpty()
                ? Map.of()
                : connections.read(TransactionSettings.SHORT, tx -> HeartbeatRows.read(tx, begun));
    }

    /**
     * A claimed row.
     *
     * @param job without heartbeat details
     * @param begun whether an attempt had begun before
     * @param rank its rank in the queue
     * @param start when it was claimed, and its limit key
     */
    private record Row(ClaimedJob job, boolean begun, Instant rank, LimitedQueue.Start start) {

        static Row read(ResultSet row) throws SQLException {
            RunKey run = new RunKey(row.getObject("run_id", UUID.class), row.getString("workflow_id"));
            ClaimedJob job = new ClaimedJob(
                    new JobKey(run, row.getInt("seq")),
                    new JobRoute(
                            row.getString("activity"), row.getString("task_queue"), row.getString("workflow_type")),
                    row.getObject("lease", UUID.class),
                    row.getInt("attempt"),
                    row.getInt("crashes"),
                    new JobContent(row.getString("input"), row.getString("options"), row.getString("headers")),
                    new JobDeadlines(
                            TimeColumns.required(row, "scheduled_at"),
                            row.getBoolean("begun") ? null : TimeColumns.instant(row, "schedule_to_start_deadline"),
                            TimeColumns.instant(row, "schedule_to_close_deadline")),
                    null,
                    row.getString("notes"));
            return new Row(
                    job,
                    row.getBoolean("begun"),
                    TimeColumns.required(row, "rank"),
                    new LimitedQueue.Start(row.getString("limit_key"), TimeColumns.required(row, "claimed_at")));
        }

        ClaimedJob job(@Nullable String details) {
            return new ClaimedJob(
                    job.key(),
                    job.route(),
                    job.lease(),
                    job.attempt(),
                    job.crashes(),
                    job.content(),
                    job.deadlines(),
                    details,
                    job.notes());
        }
    }
}
