package dev.durable.store.postgres.internal.queue;

/** The SQL of operators' changes to task queues, and of the description of queues. */
final class QueueChangeSql {
    private QueueChangeSql() {}

    private static final String AUDITED = """
            , a as (
                insert into durable.audit (id, at, actor, action, target, details)
                select ?, durable.clock(), ?, ?, ?, ?::json from x on conflict do nothing)
            select count(*)::int as changed from x""";

    static final String PAUSE_QUEUE = """
            with x as (
                insert into durable.queue as q (task_queue, paused, resume_at) values (?, true, ?::timestamptz)
                on conflict (task_queue) do update set paused = true, resume_at = excluded.resume_at
                 where not q.paused or q.resume_at is distinct from excluded.resume_at returning 1)""" + AUDITED;

    static final String RESUME_QUEUE = """
            with x as (
                update durable.queue q set paused = false, resume_at = null
                 where q.task_queue = ? and q.paused returning 1)""" + AUDITED;

    static final String PAUSE_ACTIVITY = """
            with x as (
                insert into durable.activity_pause as p (activity, resume_at) values (?, ?::timestamptz)
                on conflict (activity) do update set resume_at = excluded.resume_at
                 where p.resume_at is distinct from excluded.resume_at returning 1)""" + AUDITED;

    static final String RESUME_ACTIVITY = """
            with x as (delete from durable.activity_pause where activity = ? returning 1)""" + AUDITED;

    static final String RAMP_BUILD = """
            with x as (
                insert into durable.build_ramp as r (build, percent, set_at) values (?, ?, durable.clock())
                on conflict (build) do update set percent = excluded.percent, set_at = excluded.set_at
                 where r.percent <> excluded.percent
                    or exists (select 1 from durable.build_ramp o where o.set_at > r.set_at) returning 1)""" + AUDITED;

    static final String END_RAMP = """
            with x as (delete from durable.build_ramp where build = ? returning 1)""" + AUDITED;

    static final String LIMIT = """
            with x as (
                insert into durable.queue as q (task_queue, concurrency, rate_per_second, max_depth, key_concurrency,
                                                key_rate_per_second)
                select ?, l.* from (values (?::integer, ?::integer, ?::integer, ?::integer, ?::integer)) as l
                on conflict (task_queue) do update
                   set concurrency = excluded.concurrency, rate_per_second = excluded.rate_per_second,
                       max_depth = excluded.max_depth, key_concurrency = excluded.key_concurrency,
                       key_rate_per_second = excluded.key_rate_per_second
                 where (q.concurrency, q.rate_per_second, q.max_depth, q.key_concurrency, q.key_rate_per_second)
                       is distinct from (excluded.concurrency, excluded.rate_per_second, excluded.max_depth,
                                         excluded.key_concurrency, excluded.key_rate_per_second) returning 1)""" + AUDITED;

    static final String LIFT_LIMITS = """
            with x as (
                update durable.queue q
                   set concurrency = null, rate_per_second = null, max_depth = null, key_concurrency = null,
                       key_rate_per_second = null
                 where q.task_queue = ?
                   and num_nonnulls(q.concurrency, q.rate_per_second, q.max_depth, q.key_concurrency,
                                    q.key_rate_per_second) > 0 returning 1)""" + AUDITED;

    static final String LIST = """
            select v.task_queue, v.ready, v.waiting, v.delayed, v.running, v.dead, v.open_runs, v.oldest_ready_at,
                   v.paused, case when v.paused then q.resume_at end as resume_at, q.concurrency, q.rate_per_second,
                   q.max_depth, q.key_concurrency, q.key_rate_per_second, v.at_least
              from durable.v_queue v left join durable.queue q on q.task_queue = v.task_queue
             order by v.task_queue collate "C\"""";
}
