package dev.durable.store.postgres.internal.job;

/** The SQL of dead letters and incidents. */
public final class FailedJobSql {
    private FailedJobSql() {}

    /**
     * Returns the groups that are due for an alert: those that are new, and those that have grown since their last
     * alert, if that is old enough. Of two callers at once the second waits for the row of the first, and then finds
     * its alert too young.
     */
    public static final String ALERTS_DUE = QueuePlaceSql.in("""
            with due as materialized (
                select j.fingerprint, min(j.activity) as activity, count(*) as count, min(j.buried_at) as first_seen,
                       max(j.buried_at) as last_seen,
                       (array_agg(j.last_failure order by j.buried_at desc, j.run_id))[1] as last_failure,
                       (array_agg(j.run_id order by j.buried_at desc, j.run_id))[1] as run_id,
                       (array_agg(j.workflow_id order by j.buried_at desc, j.run_id))[1] as workflow_id,
                       (array_agg(j.seq order by j.buried_at desc, j.run_id))[1] as seq
                  from durable.activity_job j
                  left join durable.alert a on a.fingerprint = j.fingerprint
                 where j.state in ${buried}
                 group by j.fingerprint, a.at, a.told_until
                having a.at is null
                    or a.at <= durable.clock() - ? * interval '1 ms' and max(j.buried_at) > a.told_until
                 order by j.fingerprint limit ?),
            told as (
                insert into durable.alert as a (fingerprint, at, told_until)
                select d.fingerprint, durable.clock(), d.last_seen from due d order by d.fingerprint
                on conflict (fingerprint) do update set at = excluded.at, told_until = excluded.told_until
                    where a.at <= durable.clock() - ? * interval '1 ms'
                returning fingerprint)
            select d.* from due d join told t on t.fingerprint = d.fingerprint""");

    /** Locks dead letters that are too old or too many, the oldest first; locked rows are left for the next pass. */
    public static final String LOCK_OVER = QueuePlaceSql.in("""
            select j.workflow_id, j.run_id, j.seq, j.task_queue, j.lease, j.state, j.attempt, j.cancel_requested, j.notes,
                   j.operator_notes, j.last_failure, durable.clock() as now
              from durable.activity_job j
             where j.state = ${DEAD}
               and j.buried_at <= greatest(durable.clock() - ? * interval '1 ms',
                       (select o.buried_at from durable.activity_job o
                         where o.state = ${DEAD} order by o.buried_at desc offset ? limit 1))
             order by j.buried_at limit ? for update skip locked""");

    public static final String FORGET_ALERTS = QueuePlaceSql.in("""
            delete from durable.alert a
             where a.at < durable.clock() - interval '1 day'
               and not exists (select 1 from durable.activity_job j
                                where j.state in ${buried} and j.fingerprint = a.fingerprint)""");
}
