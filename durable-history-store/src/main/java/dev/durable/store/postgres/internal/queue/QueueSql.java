package dev.durable.store.postgres.internal.queue;

import dev.durable.store.postgres.internal.job.LimitPlaceSql;
import dev.durable.store.postgres.internal.job.QueuePlaceSql;

/** The SQL of queue rules and of claims under limits. */
public final class QueueSql {
    private QueueSql() {}

    /** Locks the queue's row, so that one claim runs at a time; no claim waits for it. */
    static final String LOCK = """
            select q.concurrency, q.rate_per_second, q.key_rate_per_second, q.recent_starts, durable.clock() as now
              from durable.queue q where q.task_queue = ? for update skip locked""";

    /**
     * Counts the running jobs, in a statement after the lock, which sees the commit of the claim before. It scans all
     * running jobs: they are never more than there are slots, and an index by queue would cost every job a write. The
     * places that are kept for bodies whose jobs no longer run count, too.
     */
    static final String RUNNING = QueuePlaceSql.in("""
            select case when exists (select 1 from durable.queue l where l.task_queue = q.name and l.concurrency is not null)
                        then (select count(*) from durable.activity_job j
                                where j.state = ${RUNNING} and j.task_queue = q.name)
                           + (select count(*) from durable.activity_job j
                                where j.state = ${EXTERNAL} and j.task_queue = q.name)
                           + %s
                        else 0 end as running
              from (select ?::text as name) q""".formatted(LimitPlaceSql.inQueue("q.name")));

    static final String COUNT_STARTS = "update durable.queue set recent_starts = ? where task_queue = ?";

    static final String COUNT_KEY_STARTS = """
            insert into durable.limit_key_start as l (task_queue, limit_key, last_at, starts)
            select ?, u.limit_key, max(u.at), array_agg(u.at)
              from unnest(?::text[], ?::timestamptz[]) as u(limit_key, at) group by u.limit_key order by u.limit_key
            on conflict (task_queue, limit_key) do update
               set last_at = excluded.last_at,
                   starts = array(select s from unnest(l.starts) as s where s > durable.clock() - interval '1 s 50 ms')
                            || excluded.starts""";

    static final String RULES = """
            select q.task_queue, q.paused and (q.resume_at is null or q.resume_at > durable.clock()) as paused,
                   q.concurrency, q.rate_per_second, q.max_depth, q.key_concurrency, q.key_rate_per_second
              from durable.queue q where q.task_queue = any(?::text[])""";

    static final String PAUSED_ACTIVITIES = """
            select p.activity, p.resume_at from durable.activity_pause p
             where p.resume_at is null or p.resume_at > durable.clock() order by p.activity""";

    static final String RAMPS = "select r.build, r.percent, r.set_at from durable.build_ramp r order by r.build";

    /** The builds that serve the queues, where one has a ramp; the empty name stands for processes that name none. */
    static final String SERVING_BUILDS = """
            select distinct u.task_queue, coalesce(s.build, '') as build
              from unnest(?::text[]) as u(task_queue)
             cross join lateral (select s.build from durable.session s
                    where not s.dead and (s.queues is null or u.task_queue = any(s.queues))
                      and exists (select 1 from durable.build_ramp)
                    order by s.id offset 0) s""";

    static final String KEYS_WAIT = QueuePlaceSql.in("""
            select u.task_queue from unnest(?::text[]) as u(task_queue)
             where exists (select 1 from durable.activity_job j
                            where j.task_queue = u.task_queue and j.state = ${WAITING} offset 0)
                or exists (select 1 from durable.activity_job j
                            where j.task_queue = u.task_queue and j.state = ${DELAYED} and j.limit_key is not null
                              and j.visible_at <= durable.clock() offset 0)""");

    static final String NEXT_DELAYED = QueuePlaceSql.in("""
            select u.task_queue, d.visible_at from unnest(?::text[]) as u(task_queue)
             cross join lateral (select j.visible_at from durable.activity_job j
                    where j.task_queue = u.task_queue and j.state = ${DELAYED} and j.visible_at > durable.clock()
                    order by j.visible_at limit 1) d""");

    static final String DEPTH = QueuePlaceSql.in("""
            select ((select count(*) from (select 1 from durable.activity_job j
                                            where j.task_queue = ? and j.state = ${READY} limit ?) r)
                  + (select count(*) from (select 1 from durable.activity_job j
                                            where j.task_queue = ? and j.state = ${DELAYED} limit ?) d)
                  + (select count(*) from (select 1 from durable.activity_job j
                                            where j.task_queue = ? and j.state = ${WAITING} limit ?) w)
                  + (select count(*) from (select 1 from durable.run_state s
                                            where s.task_queue = ? and s.wake_at <= durable.clock()
                                              and s.pinned_to is null limit ?) s))::int
                   as depth""");
}
