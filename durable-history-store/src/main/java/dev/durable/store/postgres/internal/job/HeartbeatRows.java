package dev.durable.store.postgres.internal.job;

import static dev.durable.store.postgres.internal.sql.Param.ints;
import static dev.durable.store.postgres.internal.sql.Param.shorts;
import static dev.durable.store.postgres.internal.sql.Param.uuids;

import dev.durable.store.JobKey;
import dev.durable.store.RunKey;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Reads the last accepted heartbeat details of jobs. */
public final class HeartbeatRows {
    public static final String DROP = """
            delete from durable.activity_heartbeat where ctid = any(array(
                select h.c from unnest(?::uuid[], ?::smallint[], ?::int[]) as u(run_id, shard, seq)
                 cross join lateral (select h.ctid as c from durable.activity_heartbeat h
                        where h.run_id = u.run_id and h.shard = u.shard and h.seq = u.seq offset 0) h))""";

    private HeartbeatRows() {}

    public static Map<JobKey, String> read(Tx tx, List<JobKey> jobs) throws SQLException {
        Map<UUID, RunKey> runs = new HashMap<>();
        jobs.forEach(job -> runs.put(job.run().runId(), job.run()));
        Map<JobKey, String> details = new HashMap<>();
        tx.run(new SqlScript()
                .read(
                        JobSql.DETAILS,
                        row -> details.put(
                                new JobKey(
                                        Objects.requireNonNull(runs.get(row.getObject("run_id", UUID.class))),
                                        row.getInt("seq")),
                                row.getString("details")),
                        keys(jobs)));
        return details;
    }

    /** The parameters of jobs: run_id, shard, seq. */
    public static Param[] keys(List<JobKey> jobs) {
        return new Param[] {
            uuids(jobs, k -> k.run().runId()), shorts(jobs, k -> k.run().shard()), ints(jobs, JobKey::seq)
        };
    }
}
