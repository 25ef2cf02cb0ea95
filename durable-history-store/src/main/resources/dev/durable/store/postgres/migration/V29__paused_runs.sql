-- v_workflow says whether a run is paused, which looked like one that waits.
-- Why: the last event of the history had it, or one of the last. Locks: ACCESS EXCLUSIVE on v_workflow for a moment.
create or replace view ${schema}.v_workflow as
select w.workflow_id, w.run_id, w.type, w.task_queue, w.status,
       s.stalled_by is not null as stalled, s.stalled_by,
       w.started_at, w.closed_at, w.attributes, ${schema}.readable(w.memo) as memo,
       (select ${schema}.readable(e.attributes) -> 'input' from ${schema}.history_event e
         where e.run_id = w.run_id and e.event_id = 1 and e.shard = w.shard) as input,
       ${schema}.readable(w.result) as result, ${schema}.readable(w.failure) as failure,
       ${schema}.readable(w.failure) ->> 'message' as failure_message,
       (select max(e.event_id) from ${schema}.history_event e where e.run_id = w.run_id and e.shard = w.shard) as history_length,
       (select count(*) from ${schema}.inbox i where i.run_id = w.run_id and i.shard = w.shard) as waiting_messages,
       s.wake_at as next_wake_at, s.owned_until, s.last_session, s.deadline, w.parent_run_id,
       (select ${schema}.readable(e.attributes) ->> 'startedBy' from ${schema}.history_event e
         where e.run_id = w.run_id and e.event_id = 1 and e.shard = w.shard) as started_by,
       coalesce(s.paused, false) as paused
  from ${schema}.workflow_run w
  left join ${schema}.run_state s on s.run_id = w.run_id and s.shard = w.shard;

insert into ${schema}.schema_version (version, min_library) values (29, '0.1.0');
