-- v_activity goes on telling what happened to an activity when its job is gone: attempts that failed, incidents, what
-- operators did, the last heartbeat details.
-- Why: a run that closes over an activity writes that into its history. Locks: ACCESS EXCLUSIVE on the view for a moment.

-- The informing events of one activity, in their order; read only where a column asks for them.
create function ${schema}.told_of(run uuid, run_shard smallint, activity integer)
    returns table (event_id bigint, at timestamptz, type text, attributes jsonb)
    language sql stable parallel safe rows 5 as $$
select e.event_id, e.at, e.type, ${schema}.readable(e.attributes)
  from ${schema}.history_event e
 where e.run_id = run and e.shard = run_shard
   and e.type in ('ActivityAttemptFailed', 'ActivityTimeoutUpdated', 'ActivityOptionsUpdated', 'ActivityOperated',
                  'IncidentRaised', 'IncidentResolved', 'ActivityAbandoned')
   and ${schema}.seq_of(e.attributes) = activity
$$;

create or replace view ${schema}.v_activity as
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
       coalesce(job.attempt, (ended.attributes ->> 'attempt')::integer,
                (select max((t.attributes ->> 'attempt')::integer)
                   from ${schema}.told_of(w.run_id, w.shard, scheduled.seq) t)) as attempt,
       job.crashes, job.session, job.cancel_requested,
       case when job.run_id is not null then job.last_failure
            else (select concat_ws(': ', t.attributes -> 'failure' ->> 'type', t.attributes -> 'failure' ->> 'message')
                    from ${schema}.told_of(w.run_id, w.shard, scheduled.seq) t
                   where t.attributes -> 'failure' is not null order by t.event_id desc limit 1) end as last_failure,
       scheduled.attributes -> 'input' as input, ended.attributes -> 'result' as result,
       ended.attributes -> 'failure' as failure,
       case when job.run_id is not null then ${schema}.readable(${schema}.joined(job.notes, job.operator_notes))
            else (select jsonb_agg(jsonb_build_object('type', t.type, 'at', t.at, 'attributes', t.attributes)
                                   order by t.event_id)
                    from ${schema}.told_of(w.run_id, w.shard, scheduled.seq) t where t.type <> 'ActivityAbandoned') end as notes,
       case when job.run_id is not null then ${schema}.readable(heartbeat.details)
            else coalesce(ended.attributes -> 'lastHeartbeatDetails',
                          (select t.attributes -> 'lastHeartbeatDetails'
                             from ${schema}.told_of(w.run_id, w.shard, scheduled.seq) t
                            where t.type = 'ActivityAbandoned' order by t.event_id desc limit 1)) end as heartbeat_details,
       heartbeat.at as heartbeat_at
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

do $grant$
begin
    if to_regrole(quote_ident('${name}_worker')) is not null then
        execute format('grant execute on function ${schema}.told_of(uuid, smallint, integer) to %I', '${name}_worker');
    end if;
end $grant$;

insert into ${schema}.schema_version (version, min_library) values (14, '0.1.0');
