-- What reads rows answers whatever stands in one of them.
-- Why: nine bytes of JSON (1e131071) were shown as 131,072 digits, so that one row could be more than a server or a tool can
-- hold; notes that are no array, and numbers of activities and attempts that are none, failed all who read or claimed rows
-- along with that one. And readable had a block with an exception handler, which PostgreSQL before 16 refuses in a parallel
-- plan; v_activity read all histories. Locks: ACCESS EXCLUSIVE on v_activity for a moment; else none (functions only).

-- json for reading with jsonb's operators. Payloads may hold what jsonb and ->> refuse (\u0000, unpaired surrogates,
-- numbers out of range): a view that fails on one row is no view, so those characters become \ufffd, and what is still
-- refused comes as one string. Numbers with an exponent of 90 or more stay as they are written, as strings: jsonb would show
-- all their digits. PostgreSQL 16 can ask whether a text is refused, without a handler.
create or replace function ${schema}.readable(value json) returns jsonb
    language plpgsql immutable strict parallel unsafe set search_path = pg_catalog, pg_temp as $$
declare
    mended text := value::text;
begin
    if mended ~ '[0-9][eE][+-]?0*(9[0-9]|[1-9][0-9][0-9])' then
        -- Where this is the inside of a string, what comes of it is no JSON, and the whole is shown as one string.
        mended := regexp_replace(mended,
            '(^\s*|[\[,:]\s*)(-?[0-9]+(?:\.[0-9]+)?[eE][+-]?0*(?:9[0-9]|[1-9][0-9][0-9]+))(?=\s*(?:[],}]|$))',
            '\1"\2"', 'g');
    end if;
    if current_setting('server_version_num')::integer >= 160000 then
        if pg_input_is_valid(mended, 'jsonb') then
            return mended::jsonb;
        end if;
        mended := regexp_replace(mended, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g');
        return case when pg_input_is_valid(mended, 'jsonb') then mended::jsonb else to_jsonb(value::text) end;
    end if;
    begin
        return mended::jsonb;
    exception when others then
        begin
            return regexp_replace(mended, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g')::jsonb;
        exception when others then
            return to_jsonb(value::text);
        end;
    end;
end $$;

-- The sequence number of an activity's or timer's event; null where none stands there. It stands first, and is read as text:
-- even -> refuses a text with \u0000 anywhere in it.
create or replace function ${schema}.seq_of(attributes json) returns integer
    language sql immutable strict parallel unsafe
    return coalesce(substring(attributes::text from '^\s*\{\s*"seq"\s*:\s*(\d{1,9})\s*[,}]'),
                    substring(${schema}.readable(attributes) ->> 'seq' from '^\d{1,9}$'))::integer;

-- What reads by it is as safe as it is. A server that was upgraded from 14 or 15 goes on without parallel plans there.
do $parallel$
declare
    safety text := case when current_setting('server_version_num')::integer >= 160000 then 'safe' else 'unsafe' end;
begin
    execute 'alter function ${schema}.readable(json) parallel ' || safety;
    execute 'alter function ${schema}.seq_of(json) parallel ' || safety;
end $parallel$;

-- Two arrays of informing events as one: what the job's worker noted, and what orders have added since its claim. Text in,
-- text out: nothing of the events is read. Empty or null is nothing; what is no array counts as an event.
create or replace function ${schema}.joined(first json, second json) returns json
    language sql immutable parallel safe
    return case when first is null or first::text = '[]' then second
            when second is null or second::text = '[]' then first
            when first::text ~ '^\s*\[\s*\]\s*$' then second
            when second::text ~ '^\s*\[\s*\]\s*$' then first
            else ('[' || case when first::text ~ '^\s*\[' then substring(first::text from '^\s*\[(.*)\]\s*$') else first::text end
                  || ',' || case when second::text ~ '^\s*\[' then substring(second::text from '^\s*\[(.*)\]\s*$')
                                 else second::text end || ']')::json end;

-- One row an activity that was ever scheduled, run by run. The events of a run are read once: what scheduled an activity,
-- what ended it, and what its job told on the way, which an open activity's job still has.
create or replace view ${schema}.v_activity as
select w.workflow_id, w.run_id, a.seq, a.scheduled ->> 'activity' as activity,
       a.scheduled ->> 'taskQueue' as task_queue,
       case when a.ended_type is not null
                then lower(regexp_replace(substr(a.ended_type, 9), '(.)([A-Z])', '\1_\2', 'g'))
            when job.state = 0 then 'ready' when job.state = 1 then 'delayed'
            when job.state = 2 then 'running' when job.state = 3 then 'dead'
            when job.state = 4 then 'paused' when job.state = 5 then 'external'
            when job.state = 6 then 'incident'
            when job.state = 7 then 'waiting'
            when w.closed_at is not null then 'abandoned' else 'ended' end as state,
       a.scheduled_at, job.claimed_at as started_at, a.ended_at, job.visible_at as due_at,
       coalesce(job.attempt, substring(a.ended ->> 'attempt' from '^\d{1,9}$')::integer, a.last_attempt) as attempt,
       job.crashes, job.session, job.cancel_requested,
       case when job.run_id is not null then job.last_failure
            when a.last_failure is not null
                then concat_ws(': ', a.last_failure ->> 'type', a.last_failure ->> 'message') end as last_failure,
       a.scheduled -> 'input' as input, a.ended -> 'result' as result, a.ended -> 'failure' as failure,
       case when job.run_id is not null then ${schema}.readable(${schema}.joined(job.notes, job.operator_notes))
            else a.notes end as notes,
       case when job.run_id is not null then ${schema}.readable(heartbeat.details)
            else coalesce(a.ended -> 'lastHeartbeatDetails', a.abandoned -> 'lastHeartbeatDetails') end
           as heartbeat_details,
       heartbeat.at as heartbeat_at
  from ${schema}.workflow_run w
 cross join lateral (
        select e.seq, min(e.at) filter (where e.schedules) as scheduled_at,
               (array_agg(case when e.type = 'ActivityScheduled' then e.attributes
                               else (e.attributes -> 'local') || jsonb_build_object('taskQueue', w.task_queue) end)
                   filter (where e.schedules))[1] as scheduled,
               max(e.type) filter (where e.ends) as ended_type,
               max(e.at) filter (where e.ends) as ended_at,
               (array_agg(e.attributes) filter (where e.ends))[1] as ended,
               max(substring(e.attributes ->> 'attempt' from '^\d{1,9}$')::integer) filter (where e.tells) as last_attempt,
               (array_agg(e.attributes -> 'failure' order by e.event_id desc)
                   filter (where e.tells and e.attributes -> 'failure' is not null))[1] as last_failure,
               jsonb_agg(jsonb_build_object('type', e.type, 'at', e.at, 'attributes', e.attributes) order by e.event_id)
                   filter (where e.tells and e.type <> 'ActivityAbandoned') as notes,
               (array_agg(e.attributes order by e.event_id desc) filter (where e.type = 'ActivityAbandoned'))[1]
                   as abandoned
          from (select e.*, e.type = 'ActivityScheduled' or e.ends and e.attributes -> 'local' is not null as schedules,
                       e.type <> 'ActivityScheduled' and not e.ends as tells
                  from (select e.event_id, e.at, e.type, ${schema}.seq_of(e.attributes) as seq,
                               ${schema}.readable(e.attributes) as attributes,
                               e.type in ('ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut', 'ActivityCancelled')
                                   as ends
                          from ${schema}.history_event e
                         where e.run_id = w.run_id and e.shard = w.shard
                           and e.type in ('ActivityScheduled', 'ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut',
                                          'ActivityCancelled', 'ActivityAttemptFailed', 'ActivityTimeoutUpdated',
                                          'ActivityOptionsUpdated', 'ActivityOperated', 'IncidentRaised',
                                          'IncidentResolved', 'ActivityAbandoned')
                        offset 0) e) e
         group by e.seq having bool_or(e.schedules)) a
  left join lateral (
        select j.* from ${schema}.activity_job j
         where j.run_id = w.run_id and j.seq = a.seq and j.shard = w.shard offset 0) job on true
  left join lateral (
        select h.details, h.at from ${schema}.activity_heartbeat h
         where h.run_id = job.run_id and h.seq = job.seq and h.shard = job.shard offset 0) heartbeat on true;

-- The events of a run are read once now.
drop function ${schema}.told_of(uuid, smallint, integer);

insert into ${schema}.schema_version (version, min_library) values (23, '0.1.0');
