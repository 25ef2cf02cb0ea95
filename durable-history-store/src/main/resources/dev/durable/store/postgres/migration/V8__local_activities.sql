-- Local activities in v_activity: their outcome, the one event they have, says what was called. Locks: the view only.

create or replace view v_activity as
select w.workflow_id, w.run_id, scheduled.seq, scheduled.attributes ->> 'activity' as activity,
       scheduled.attributes ->> 'taskQueue' as task_queue,
       case when ended.type is not null then lower(regexp_replace(substr(ended.type, 9), '(.)([A-Z])', '\1_\2', 'g'))
            when job.state = 0 then 'ready' when job.state = 1 then 'delayed'
            when job.state = 2 then 'running' when job.state = 3 then 'dead'
            when w.closed_at is not null then 'abandoned' else 'ended' end as state,
       scheduled.at as scheduled_at, job.claimed_at as started_at, ended.at as ended_at, job.visible_at as due_at,
       coalesce(job.attempt, (ended.attributes ->> 'attempt')::integer) as attempt,
       job.crashes, job.session, job.cancel_requested, job.last_failure,
       scheduled.attributes -> 'input' as input, ended.attributes -> 'result' as result,
       ended.attributes -> 'failure' as failure, readable(job.notes) as notes,
       readable(heartbeat.details) as heartbeat_details, heartbeat.at as heartbeat_at
  from workflow_run w
  join (select e.run_id, e.shard, e.at, seq_of(e.attributes) as seq, readable(e.attributes) as attributes
          from history_event e where e.type = 'ActivityScheduled'
        union all
        select e.run_id, e.shard, e.at, seq_of(e.attributes),
               (readable(e.attributes) -> 'local') || jsonb_build_object('taskQueue', started.task_queue)
          from history_event e
          join workflow_run started on started.run_id = e.run_id and started.shard = e.shard
         where e.type in ('ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut', 'ActivityCancelled')
           and readable(e.attributes) -> 'local' is not null) scheduled
    on scheduled.run_id = w.run_id and scheduled.shard = w.shard
  left join (select e.run_id, e.shard, e.at, e.type, seq_of(e.attributes) as seq, readable(e.attributes) as attributes
          from history_event e
         where e.type in ('ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut', 'ActivityCancelled')) ended
    on ended.run_id = w.run_id and ended.shard = w.shard and ended.seq = scheduled.seq
  left join activity_job job
    on job.run_id = w.run_id and job.shard = w.shard and job.seq = scheduled.seq
  left join activity_heartbeat heartbeat
    on heartbeat.run_id = job.run_id and heartbeat.seq = job.seq and heartbeat.shard = job.shard;

insert into schema_version (version, min_library) values (8, '0.1.0');
