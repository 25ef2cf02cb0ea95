-- Background jobs that were enqueued with a delay get the row of their activity, which this release writes with the enqueue:
-- so operators see them, and can run, move, hold, complete and cancel them, before they are due.
-- Why: until now their run waited for its time and bore the job then. Locks: the rows of those runs, none that others have
-- locked; writes as many rows as there are such jobs.

-- Bears the jobs of the delayed ones that are not due within a minute and that nobody has touched; says of how many. What it
-- leaves out is born when it is due, as it was before. May be called again when no process of an older release enqueues any
-- more. Their texts go on as they are; arguments that PostgreSQL can't read as json are left out.
create function ${schema}.bear_delayed_jobs() returns integer
    language plpgsql as $$
declare
    born integer;
begin
    with waiting as materialized (
        select s.run_id, s.shard, s.workflow_id, s.task_queue, s.wake_at, s.expires_at, e.at, e.attributes as started
          from ${schema}.run_state s
          join ${schema}.history_event e on e.run_id = s.run_id and e.event_id = 1 and e.shard = s.shard
         where s.type = 'durable.job' and s.next_event_id = 2 and s.fence = s.run_id
           and s.wake_at > ${schema}.clock() + interval '1 min' and s.owned_until is null and not s.paused
           and e.attributes::text !~ '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})'
           and not exists (select 1 from ${schema}.inbox i where i.run_id = s.run_id and i.shard = s.shard)
           for no key update of s skip locked),
    called as materialized (
        select w.*, w.started -> 'input' -> 0 as activity, w.started -> 'input' -> 1 as input,
               w.started -> 'input' -> 2 as options, w.started -> 'headers' as run_headers
          from waiting w
         where json_typeof(w.started -> 'input') = 'array' and json_typeof(w.started -> 'input' -> 2) = 'object'),
    job as materialized (
        select c.*, coalesce((c.options ->> 'priority')::integer, 0) as priority,
               coalesce(c.run_headers, c.options -> 'headers', '{}') as headers
          from called c
         where c.run_headers is null or c.options -> 'headers' is null),
    moved as (
        update ${schema}.run_state s set next_event_id = 3, wake_at = null, expires_at = null
          from job j where s.run_id = j.run_id and s.shard = j.shard),
    recorded as (
        insert into ${schema}.history_event (run_id, event_id, at, shard, type, attributes)
        select j.run_id, 2, j.at, j.shard, 'ActivityScheduled',
               ('{"seq":1,"activity":' || j.activity::text || ',"taskQueue":' || to_json(j.task_queue)::text
                || ',"input":' || j.input::text || ',"options":' || j.options::text || '}')::json
          from job j)
    insert into ${schema}.activity_job (run_id, seq, shard, workflow_id, workflow_type, task_queue, activity, priority, rank,
           state, visible_at, scheduled_at, schedule_to_start_deadline, schedule_to_close_deadline, max_crashes, input,
           options, headers, limit_key)
    select j.run_id, 1, j.shard, j.workflow_id, 'durable.job', j.task_queue, j.started -> 'input' ->> 0, j.priority,
           j.wake_at - j.priority * interval '10 s', 1, j.wake_at, j.wake_at,
           least(j.wake_at + (j.options ->> 'scheduleToStart')::interval, j.expires_at),
           j.wake_at + (j.options ->> 'scheduleToClose')::interval,
           coalesce((j.options -> 'retry' ->> 'maxWorkerCrashes')::integer, 3), j.input, j.options, j.headers,
           j.options ->> 'limitKey'
      from job j;
    get diagnostics born = row_count;
    return born;
end $$;

select ${schema}.bear_delayed_jobs();

insert into ${schema}.schema_version (version, min_library) values (16, '0.1.0');
