-- Listings and views read what they show, however large the tables are.
-- Why: "which runs have failed" walked through all runs, v_activity through all histories, v_queue through all jobs and runs.
-- Locks: SHARE ROW EXCLUSIVE on workflow_run and ACCESS EXCLUSIVE on three views for a moment; the indexes of workflow_run,
-- run_state and activity_job are built concurrently. Reads workflow_run once.
-- Each step but the last may be run again.
-- A run that completes in an ordinary way enters none of these B-trees, and no column that its updates change is in one: they
-- stay HOT. A process of an older release goes on; what it closes is noted by the trigger.

-- When a run id was made; as a UUIDv7 says it.
create or replace function ${schema}.run_id_time(run_id uuid) returns timestamptz
    language sql immutable strict parallel safe as $$
select to_timestamp(('x' || translate(left(run_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)
$$;

-- Closed runs that are not found by the time in their id: those that ended otherwise than COMPLETED, and those that took
-- longer than an hour. activity: of a background job.
create table if not exists ${schema}.notable_run (
    run_id      uuid        not null,
    started_at  timestamptz not null,
    closed_at   timestamptz not null,
    shard       smallint    not null,
    workflow_id text collate "C" not null,
    type        text        not null,
    task_queue  text        not null,
    status      text        not null,
    activity    text,
    primary key (run_id, shard)
);
create index if not exists notable_run_by_status on ${schema}.notable_run (status, run_id);
create index if not exists notable_run_by_closing on ${schema}.notable_run (status, closed_at);
create index if not exists notable_run_by_type on ${schema}.notable_run (type, status, run_id);
create index if not exists notable_run_by_queue on ${schema}.notable_run (task_queue, status, run_id);
create index if not exists notable_run_by_workflow_id on ${schema}.notable_run (workflow_id);
create index if not exists notable_run_by_activity on ${schema}.notable_run (activity, status, run_id) where activity is not null;

-- By a trigger, so that whatever closes a run notes it. The name of a job's activity stands in its first event: a quote
-- inside any text is escaped, so nothing else looks like this.
create or replace function ${schema}.note_run() returns trigger
    language plpgsql as $$
begin
    insert into ${schema}.notable_run (run_id, started_at, closed_at, shard, workflow_id, type, task_queue, status, activity)
    values (new.run_id, new.started_at, new.closed_at, new.shard, new.workflow_id, new.type, new.task_queue, new.status,
            case when new.type = 'durable.job' then
                (select substring(e.attributes::text from '"input"\s*:\s*\[\s*"([^"\\]*)"') from ${schema}.history_event e
                  where e.run_id = new.run_id and e.event_id = 1 and e.shard = new.shard) end)
    on conflict do nothing;
    return null;
end $$;

create or replace trigger note_run after update on ${schema}.workflow_run for each row
    when (new.closed_at is not null and old.closed_at is null
          and (new.status <> 'COMPLETED' or new.closed_at > new.started_at + interval '1 hour'))
    execute function ${schema}.note_run();

-- Whoever may remove a run removes its note with it.
create or replace function ${schema}.forget_runs() returns trigger
    language plpgsql security definer set search_path = ${schema}, pg_temp as $$
begin
    delete from ${schema}.notable_run n using gone g where n.run_id = g.run_id and n.shard = g.shard;
    return null;
end $$;

revoke execute on function ${schema}.forget_runs() from public;

create or replace trigger forget_runs after delete on ${schema}.workflow_run
    referencing old table as gone for each statement execute function ${schema}.forget_runs();

do $roles$
begin
    if to_regrole(quote_ident('${name}_worker')) is not null then
        execute format('grant select, insert on ${schema}.notable_run to %I', '${name}_worker');
        execute format('grant execute on function ${schema}.run_id_time(uuid), ${schema}.note_run() to %I', '${name}_worker');
    end if;
end $roles$;

-- step
-- Runs that closed before. From here on the trigger notes the others.
insert into ${schema}.notable_run (run_id, started_at, closed_at, shard, workflow_id, type, task_queue, status, activity)
select w.run_id, w.started_at, w.closed_at, w.shard, w.workflow_id, w.type, w.task_queue, w.status,
       case when w.type = 'durable.job' then
           (select substring(e.attributes::text from '"input"\s*:\s*\[\s*"([^"\\]*)"') from ${schema}.history_event e
             where e.run_id = w.run_id and e.event_id = 1 and e.shard = w.shard) end
  from ${schema}.workflow_run w
 where w.closed_at is not null and (w.status <> 'COMPLETED' or w.closed_at > w.started_at + interval '1 hour')
    on conflict do nothing;

-- step: concurrently
-- Where rare types and rare task queues are: a summary of each 64 kB of the table, which inserts leave alone until they
-- have filled it. Nothing is written for a run.
create index concurrently if not exists workflow_run_names on ${schema}.workflow_run
    using brin (type text_bloom_ops (n_distinct_per_range = 32), task_queue text_bloom_ops (n_distinct_per_range = 32))
    with (pages_per_range = 8, autosummarize = on);

-- step: concurrently
-- Runs whose id was made more than ten seconds before or after their start. Queries repeat this expression word for word.
create index concurrently if not exists workflow_run_odd_ids on ${schema}.workflow_run (started_at)
    where started_at - ${schema}.run_id_time(run_id) not between interval '-10 s' and interval '10 s';

-- step: concurrently
create index concurrently if not exists run_state_stalled on ${schema}.run_state (run_id) where stalled_by is not null;

-- step: concurrently
-- Jobs that are not on the straight way: retried, held, waiting for an operator. In the order of listings.
create index concurrently if not exists activity_job_retried on ${schema}.activity_job (run_id, seq) where attempt > 1;

-- step: concurrently
create index concurrently if not exists activity_job_paused on ${schema}.activity_job (run_id, seq) where state = 4;

-- step: concurrently
create index concurrently if not exists activity_job_buried_state on ${schema}.activity_job (state, run_id, seq) where state in (3, 6);

-- step: concurrently
create index concurrently if not exists activity_job_buried_workflow on ${schema}.activity_job (workflow_id) where state in (3, 6);

-- step: concurrently
create index concurrently if not exists activity_job_buried_since on ${schema}.activity_job (state, buried_at) where state in (3, 6);

-- step: concurrently
create index concurrently if not exists activity_job_buried_activity on ${schema}.activity_job (activity, run_id, seq) where state in (3, 6);

-- step: concurrently
create index concurrently if not exists activity_job_buried_queue on ${schema}.activity_job (task_queue, run_id, seq) where state in (3, 6);

-- step: concurrently
create index concurrently if not exists activity_job_buried_type on ${schema}.activity_job (workflow_type, run_id, seq) where state in (3, 6);

-- step
-- activity_job_buried_state and activity_job_buried_since are the same for each state.
drop index ${schema}.activity_job_buried_key;
drop index ${schema}.activity_job_dead;

-- One row an event: where workflow_id = 'order-42' order by run_id, event_id. Run by run, whatever the planner takes the
-- sizes of tables for; a time window is one of run ids: where run_id >= run_id_at(now() - interval '1 hour').
create or replace view ${schema}.v_history as
select w.workflow_id, w.run_id, e.event_id, e.at, e.type, ${schema}.readable(e.attributes) as attributes, e.message_id
  from ${schema}.workflow_run w
 cross join lateral (
        select e.event_id, e.at, e.type, e.attributes, e.message_id from ${schema}.history_event e
         where e.run_id = w.run_id and e.shard = w.shard order by e.event_id offset 0) e;

-- One row a task queue that has something in it, or a setting. Counts of jobs and of due runs stop at 10,000, and
-- oldest_ready_at is that of the first 10,000 to be begun; with more than 10,000 open runs open_runs is an estimate from a
-- sample. at_least: one of them is so.
create or replace view ${schema}.v_queue as
with recursive ready(task_queue) as (
        (select j.task_queue from ${schema}.activity_job j where j.state = 0 order by 1 limit 1)
        union all
        select (select j.task_queue from ${schema}.activity_job j
                 where j.state = 0 and j.task_queue > q.task_queue order by 1 limit 1)
          from ready q where q.task_queue is not null),
    delayed(task_queue) as (
        (select j.task_queue from ${schema}.activity_job j where j.state = 1 order by 1 limit 1)
        union all
        select (select j.task_queue from ${schema}.activity_job j
                 where j.state = 1 and j.task_queue > q.task_queue order by 1 limit 1)
          from delayed q where q.task_queue is not null),
    waiting(task_queue) as (
        (select j.task_queue from ${schema}.activity_job j where j.state = 7 order by 1 limit 1)
        union all
        select (select j.task_queue from ${schema}.activity_job j
                 where j.state = 7 and j.task_queue > q.task_queue order by 1 limit 1)
          from waiting q where q.task_queue is not null),
    buried(task_queue) as (
        (select j.task_queue from ${schema}.activity_job j where j.state in (3, 6) order by 1 limit 1)
        union all
        select (select j.task_queue from ${schema}.activity_job j
                 where j.state in (3, 6) and j.task_queue > q.task_queue order by 1 limit 1)
          from buried q where q.task_queue is not null),
    due(task_queue) as (
        (select s.task_queue from ${schema}.run_state s where s.wake_at is not null order by 1 limit 1)
        union all
        select (select s.task_queue from ${schema}.run_state s
                 where s.wake_at is not null and s.task_queue > q.task_queue order by 1 limit 1)
          from due q where q.task_queue is not null),
    running(task_queue, jobs) as (
        select j.task_queue, count(*)
          from (select j.task_queue from ${schema}.activity_job j where j.state = 2
                union all
                select j.task_queue from ${schema}.activity_job j where j.state = 5) j
         group by j.task_queue),
    runs(times) as (
        select greatest(c.reltuples / 10000, 1) from pg_catalog.pg_class c where c.oid = '${schema}.run_state'::regclass),
    opened(task_queue, runs) as (
        select s.task_queue, round(count(*) * (select r.times from runs r))::bigint
          from ${schema}.run_state s tablesample system ((select 100 / r.times from runs r)) group by s.task_queue),
    named(task_queue) as (
        select task_queue from ready union select task_queue from delayed union select task_queue from waiting
        union select task_queue from buried union select task_queue from due union select task_queue from running
        union select task_queue from opened union select q.task_queue from ${schema}.queue q)
select n.task_queue, r.jobs as ready, d.jobs as delayed, coalesce(busy.jobs, 0) as running, b.jobs as dead,
       least(r.oldest, w.oldest) as oldest_ready_at, coalesce(o.runs, 0) as open_runs, due_runs.runs as due_runs,
       coalesce(q.paused and (q.resume_at is null or q.resume_at > ${schema}.clock()), false) as paused,
       w.jobs as waiting,
       greatest(r.jobs, d.jobs, w.jobs, b.jobs, due_runs.runs) >= 10000 or (select times from runs) > 1 as at_least
  from named n
 cross join lateral (
        select count(*) as jobs, min(since) as oldest
          from (select j.rank + j.priority * interval '10 s' as since from ${schema}.activity_job j
                 where j.state = 0 and j.task_queue = n.task_queue order by j.rank limit 10000) j) r
 cross join lateral (
        select count(*) as jobs, min(since) as oldest
          from (select j.rank + j.priority * interval '10 s' as since from ${schema}.activity_job j
                 where j.state = 7 and j.task_queue = n.task_queue limit 10000) j) w
 cross join lateral (
        select count(*) as jobs
          from (select from ${schema}.activity_job j
                 where j.state = 1 and j.task_queue = n.task_queue order by j.visible_at limit 10000) j) d
 cross join lateral (
        select count(*) as jobs
          from (select from ${schema}.activity_job j
                 where j.state in (3, 6) and j.task_queue = n.task_queue limit 10000) j) b
 cross join lateral (
        select count(*) as runs
          from (select from ${schema}.run_state s
                 where s.task_queue = n.task_queue and s.wake_at <= ${schema}.clock() order by s.wake_at limit 10000) s)
           due_runs
  left join running busy on busy.task_queue = n.task_queue
  left join opened o on o.task_queue = n.task_queue
  left join ${schema}.queue q on q.task_queue = n.task_queue
 where n.task_queue is not null;

insert into ${schema}.schema_version (version, min_library) values (18, '0.1.0');
