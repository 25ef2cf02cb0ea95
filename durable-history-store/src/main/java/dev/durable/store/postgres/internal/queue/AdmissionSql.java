package dev.durable.store.postgres.internal.queue;

import dev.durable.store.postgres.internal.job.LimitPlaceSql;
import dev.durable.store.postgres.internal.job.QueuePlaceSql;

/** The SQL of the admission of jobs with limit keys. */
public final class AdmissionSql {
    private AdmissionSql() {}

    /**
     * Locks the row of a queue, so that one admission runs at a time and queue. The lock ends with the transaction,
     * when the next admission can see its changes. A row that another transaction has locked, or that does not exist
     * yet, returns nothing.
     */
    static final String LOCK_ADMISSION = """
            select true as mine from durable.admission a where a.task_queue = ? for no key update skip locked""";

    static final String IS_THERE = "select exists (select from durable.admission a where a.task_queue = ?) as is_there";

    static final String MAKE = "insert into durable.admission (task_queue) values (?) on conflict do nothing";

    static final String KEY_LIMITS = """
            select q.key_concurrency, q.key_rate_per_second from durable.queue q where q.task_queue = ?""";

    /** Jobs with a limit key whose delay is over now wait for their key. */
    public static final String END_DELAYS = QueuePlaceSql.in("""
            update durable.activity_job j set state = ${WAITING}, visible_at = null
             where j.ctid = any(array(
                select d.ctid from durable.activity_job d
                 where d.task_queue = ? and d.state = ${DELAYED} and d.limit_key is not null
                   and d.visible_at <= durable.clock()
                 order by d.visible_at limit ? for no key update skip locked))""");

    /**
     * Lets jobs through. The keys with waiting jobs are found by a skip scan from the key at which the last admission
     * ended. Of each key it takes as many jobs, by rank, as its limits leave: the concurrency less the jobs that are
     * ready or running and the places kept for bodies that go on, and the rate less the jobs that are ready or began
     * within the last second. (Ready jobs count for the rate, too, as they may begin at any moment, so no window of a
     * second has more starts than the rate.)
     */
    public static final String ADMIT =
            QueuePlaceSql.in("""
            with recursive l as (
                select ?::text as task_queue, ?::integer as most, ?::integer as rate, ?::integer as batch),
            waiting as (
                (select j.limit_key from l
                  cross join lateral (
                        select j.limit_key from durable.activity_job j
                         where j.task_queue = l.task_queue and j.state = ${WAITING} and j.limit_key > ?
                         order by j.limit_key limit 1) j)
                union all
                select j.limit_key from waiting w cross join l
                 cross join lateral (
                        select j.limit_key from durable.activity_job j
                         where j.task_queue = l.task_queue and j.state = ${WAITING} and j.limit_key > w.limit_key
                         order by j.limit_key limit 1) j),
            seen as materialized (select w.limit_key from waiting w limit ?),
            room as materialized (
                select s.limit_key, case when l.most is null and l.rate is null then l.batch else (
                        select least(l.batch, l.most - count(*) - (case when l.most is null then 0 else %s end),
                               l.rate - count(*) filter (where a.state = ${READY}) - coalesce((
                               select (select count(*) from unnest(k.starts) as at
                                        where at > durable.clock() - interval '1 s 50 ms')
                                 from durable.limit_key_start k
                                where l.rate is not null and k.task_queue = l.task_queue
                                  and k.limit_key = s.limit_key), 0))
                          from durable.activity_job a
                         where a.task_queue = l.task_queue
                           and a.limit_key = s.limit_key
                           and a.state in (${READY}, ${RUNNING}, ${EXTERNAL})) end as room
                  from seen s cross join l),
            admitted as (
                update durable.activity_job j set state = ${READY}
                  from (select j.c from room r cross join l
                         cross join lateral (
                                select j.ctid as c from durable.activity_job j
                                 where j.task_queue = l.task_queue and j.state = ${WAITING} and j.limit_key = r.limit_key
                                 order by j.rank limit greatest(r.room, 0) for no key update skip locked) j
                         limit ?) p
                 where j.ctid = p.c returning 1)
            select (select count(*) from admitted)::int as admitted, (select count(*) from seen)::int as keys,
                   (select max(s.limit_key) from seen s) as last_key""".formatted(LimitPlaceSql.ofKey("l.task_queue", "s.limit_key")));

    /** Reads whether jobs still wait for keys, and when the next delay of one ends. */
    static final String LEFT = QueuePlaceSql.in("""
            select exists (select 1 from durable.activity_job j where j.task_queue = ? and j.state = ${WAITING}) as waiting,
                   (select greatest(0, ceil(extract(epoch from j.visible_at - durable.clock()) * 1000))::bigint
                      from durable.activity_job j
                     where j.task_queue = ? and j.state = ${DELAYED} and j.limit_key is not null
                     order by j.visible_at limit 1) as delayed_for""");

    static final String FORGET_KEY_STARTS = """
            delete from durable.limit_key_start where task_queue = ? and last_at < durable.clock() - interval '1 min'""";
}
