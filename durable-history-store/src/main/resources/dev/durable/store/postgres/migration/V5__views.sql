-- The read model: views for people, reports and joins with the application's own tables. Stable: columns are added,
-- never changed. Why: the first version. Locks: nothing that exists (new views and functions only).

-- json for reading with jsonb's operators. Payloads may hold what jsonb and ->> refuse (\u0000, unpaired surrogates,
-- numbers out of range): a view that fails on one row is no view, so those characters become \ufffd, and what is still
-- refused comes as one string.
create function ${schema}.readable(value json) returns jsonb
    language plpgsql immutable strict parallel safe as $$
begin
    return value::jsonb;
exception when others then
    begin
        return regexp_replace(value::text, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g')::jsonb;
    exception when others then
        return to_jsonb(value::text);
    end;
end $$;

-- The sequence number of an activity's or timer's event. It stands first, and is read as text: even -> refuses a text
-- with \u0000 anywhere in it.
create function ${schema}.seq_of(attributes json) returns integer
    language sql immutable strict parallel safe as $$
select coalesce(substring(attributes::text from '^\s*\{\s*"seq"\s*:\s*(\d+)'), ${schema}.readable(attributes) ->> 'seq')::integer
$$;

-- One row a run.
create view ${schema}.v_workflow as
select w.workflow_id, w.run_id, w.type, w.task_queue, w.status,
       s.stalled_by is not null as stalled, s.stalled_by,
       w.started_at, w.closed_at, w.attributes, ${schema}.readable(w.memo) as memo,
       (select ${schema}.readable(e.attributes) -> 'input' from ${schema}.history_event e
         where e.run_id = w.run_id and e.event_id = 1 and e.shard = w.shard) as input,
       ${schema}.readable(w.result) as result, ${schema}.readable(w.failure) as failure,
       ${schema}.readable(w.failure) ->> 'message' as failure_message,
       (select max(e.event_id) from ${schema}.history_event e where e.run_id = w.run_id and e.shard = w.shard) as history_length,
       (select count(*) from ${schema}.inbox i where i.run_id = w.run_id and i.shard = w.shard) as waiting_messages,
       s.wake_at as next_wake_at, s.owned_until, s.last_session, s.deadline, w.parent_run_id
  from ${schema}.workflow_run w
  left join ${schema}.run_state s on s.run_id = w.run_id and s.shard = w.shard;

-- One row an event, in order: where workflow_id = 'order-42' order by run_id, event_id.
create view ${schema}.v_history as
select w.workflow_id, e.run_id, e.event_id, e.at, e.type, ${schema}.readable(e.attributes) as attributes, e.message_id
  from ${schema}.workflow_run w
  join ${schema}.history_event e on e.run_id = w.run_id and e.shard = w.shard;

-- One row an activity that was ever scheduled.
create view ${schema}.v_activity as
select w.workflow_id, w.run_id, scheduled.seq, scheduled.attributes ->> 'activity' as activity,
       scheduled.attributes ->> 'taskQueue' as task_queue,
       case when ended.type is not null then lower(regexp_replace(substr(ended.type, 9), '(.)([A-Z])', '\1_\2', 'g'))
            when job.state = 0 then 'ready' when job.state = 1 then 'delayed'
            when job.state = 2 then 'running' when job.state = 3 then 'dead'
            when job.state = 4 then 'paused' when job.state = 5 then 'external'
            when job.state = 6 then 'incident'
            when job.state = 7 then 'waiting'
            when w.closed_at is not null then 'abandoned' else 'ended' end as state,
       scheduled.at as scheduled_at, job.claimed_at as started_at, ended.at as ended_at, job.visible_at as due_at,
       coalesce(job.attempt, (ended.attributes ->> 'attempt')::integer) as attempt,
       job.crashes, job.session, job.cancel_requested, job.last_failure,
       scheduled.attributes -> 'input' as input, ended.attributes -> 'result' as result,
       ended.attributes -> 'failure' as failure, ${schema}.readable(${schema}.joined(job.notes, job.operator_notes)) as notes,
       ${schema}.readable(heartbeat.details) as heartbeat_details, heartbeat.at as heartbeat_at
  from ${schema}.workflow_run w
  join (select e.run_id, e.shard, e.at, ${schema}.seq_of(e.attributes) as seq, ${schema}.readable(e.attributes) as attributes
          from ${schema}.history_event e where e.type = 'ActivityScheduled'
        union all
        select e.run_id, e.shard, e.at, ${schema}.seq_of(e.attributes),
               (${schema}.readable(e.attributes) -> 'local') || jsonb_build_object('taskQueue', started.task_queue)
          from ${schema}.history_event e
          join ${schema}.workflow_run started on started.run_id = e.run_id and started.shard = e.shard
         where e.type in ('ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut', 'ActivityCancelled')
           and ${schema}.readable(e.attributes) -> 'local' is not null) scheduled
    on scheduled.run_id = w.run_id and scheduled.shard = w.shard
  left join (select e.run_id, e.shard, e.at, e.type, ${schema}.seq_of(e.attributes) as seq, ${schema}.readable(e.attributes) as attributes
          from ${schema}.history_event e
         where e.type in ('ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut', 'ActivityCancelled')) ended
    on ended.run_id = w.run_id and ended.shard = w.shard and ended.seq = scheduled.seq
  left join ${schema}.activity_job job
    on job.run_id = w.run_id and job.shard = w.shard and job.seq = scheduled.seq
  left join ${schema}.activity_heartbeat heartbeat
    on heartbeat.run_id = job.run_id and heartbeat.seq = job.seq and heartbeat.shard = job.shard;

-- One row a task queue that has something in it, or a setting.
create view ${schema}.v_queue as
select task_queue, sum(ready)::bigint as ready, sum(delayed)::bigint as delayed, sum(running)::bigint as running,
       sum(dead)::bigint as dead, min(oldest_ready_at) as oldest_ready_at,
       sum(open_runs)::bigint as open_runs, sum(due_runs)::bigint as due_runs, bool_or(paused) as paused,
       sum(waiting)::bigint as waiting
  from (select j.task_queue, (j.state = 0)::integer as ready, (j.state = 1)::integer as delayed,
               (j.state in (2, 5))::integer as running, (j.state in (3, 6))::integer as dead,
               case when j.state in (0, 7) then j.rank + j.priority * interval '10 s' end as oldest_ready_at,
               0 as open_runs, 0 as due_runs, false as paused, (j.state = 7)::integer as waiting
          from ${schema}.activity_job j
        union all
        select s.task_queue, 0, 0, 0, 0, null, 1, (s.wake_at <= ${schema}.clock())::integer, false, 0 from ${schema}.run_state s
        union all
        select q.task_queue, 0, 0, 0, 0, null, 0, 0,
               q.paused and (q.resume_at is null or q.resume_at > ${schema}.clock()), 0 from ${schema}.queue q) x
 group by task_queue;

-- Jobs whose attempts or whose workers' crashes are used up, until they are resolved or purged: their runs wait. attempt is
-- the one that an operator may allow.
create view ${schema}.v_dead_letter as
select j.workflow_id, j.run_id, j.seq, j.workflow_type, j.activity, j.task_queue, j.attempt, j.crashes, j.last_failure,
       j.scheduled_at, ${schema}.readable(j.input) as input, ${schema}.readable(${schema}.joined(j.notes, j.operator_notes)) as notes,
       ${schema}.readable(h.details) as heartbeat_details, j.buried_at as since, j.fingerprint
  from ${schema}.activity_job j
  left join ${schema}.activity_heartbeat h on h.run_id = j.run_id and h.seq = j.seq and h.shard = j.shard
 where j.state = 3;

-- The same of jobs that are never purged.
create view ${schema}.v_incident as
select j.workflow_id, j.run_id, j.seq, j.workflow_type, j.activity, j.task_queue, j.attempt, j.crashes, j.last_failure,
       j.scheduled_at, ${schema}.readable(j.input) as input, ${schema}.readable(${schema}.joined(j.notes, j.operator_notes)) as notes,
       ${schema}.readable(h.details) as heartbeat_details, j.buried_at as since, j.fingerprint
  from ${schema}.activity_job j
  left join ${schema}.activity_heartbeat h on h.run_id = j.run_id and h.seq = j.seq and h.shard = j.shard
 where j.state = 6;

insert into ${schema}.schema_version (version, min_library) values (5, '0.1.0');
