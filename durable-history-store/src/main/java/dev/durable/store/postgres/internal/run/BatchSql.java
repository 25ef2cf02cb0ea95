package dev.durable.store.postgres.internal.run;

import dev.durable.store.postgres.internal.job.QueuePlaceSql;
import dev.durable.store.postgres.internal.sql.PortionSql;

/** The SQL of batches of background jobs. */
public final class BatchSql {
    private BatchSql() {}

    /**
     * Inserts the places of runs, with their starts; of a job that was started again at its place, the later run has
     * the place from then on.
     */
    static final String JOIN = """
            insert into durable.batch_job (batch, number, run_id, shard)
            select u.batch, u.number, u.run_id, u.shard
              from unnest(?::text[], ?::int[], ?::uuid[], ?::smallint[]) as u(batch, number, run_id, shard)
             order by u.batch, u.number
            on conflict (batch, number, shard) do update set run_id = excluded.run_id""";

    public static final String TALLY = QueuePlaceSql.in("""
            select count(*) filter (where w.status = 'COMPLETED' and w.failure is null) as completed,
                   count(*) filter (where w.status = 'COMPLETED' and w.failure is not null) as discarded,
                   count(*) filter (where w.status not in ('COMPLETED', 'RUNNING')) as failed,
                   count(*) filter (where w.status = 'RUNNING') as open,
                   count(*) filter (where j.state = ${DEAD}) as dead_letters,
                   count(*) filter (where j.state = ${INCIDENT}) as incidents
              from durable.batch_job b
              join durable.workflow_run w on w.run_id = b.run_id and w.shard = b.shard
              left join lateral (
                    select j.state from durable.activity_job j
                     where w.status = 'RUNNING' and j.run_id = b.run_id and j.shard = b.shard
                       and j.state in (${DEAD}, ${INCIDENT}) limit 1) j on true
             where b.batch = ?""");

    /** Returns those of these places that have these runs. */
    public static final String HELD = """
            select u.batch, u.number from unnest(?::text[], ?::int[], ?::uuid[], ?::smallint[]) as u(batch, number, run_id, shard)
             where exists (select 1 from durable.batch_job b
                    where b.batch = u.batch and b.number = u.number and +b.shard = u.shard and b.run_id = u.run_id offset 0)""";

    public static final String MEMBERS = PortionSql.portionBy(
            "number, run_id, workflow_id, type, status, task_queue, started_at, closed_at, result, failure, memo",
            PortionSql.sizes("r.result", "r.failure", "r.memo"),
            """
            select b.number, w.run_id, w.workflow_id, w.type, w.status, w.task_queue, w.started_at, w.closed_at, w.result,
                   w.failure, w.memo
              from durable.batch_job b
              join durable.workflow_run w on w.run_id = b.run_id and w.shard = b.shard
             where b.batch = ? and b.number > ?
             order by b.number limit ?""");
}
