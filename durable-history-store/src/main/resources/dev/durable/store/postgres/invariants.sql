-- Invariants 1 to 8 of the design, which the tables satisfy whenever no process is writing. Each query gives one text
-- for each violation, and none if all is well. Written for the schema durable; in psql: \i invariants.sql

-- 1. Event ids of a run are 1..n without a gap.
select format('1: events of run %s are not 1..n: %s events from %s to %s', run_id, count(*), min(event_id), max(event_id))
  from durable.history_event group by run_id having min(event_id) <> 1 or max(event_id) <> count(*);

-- 1. Event 1, and only event 1, is WorkflowStarted.
select format('1: event %s of run %s is %s', event_id, run_id, type)
  from durable.history_event where (event_id = 1) <> (type = 'WorkflowStarted');

-- 1. A closing event is the last one.
select format('1: %s stands at %s of run %s, before others', e.type, e.event_id, e.run_id)
  from durable.history_event e
 where e.type in ('WorkflowCompleted', 'WorkflowFailed', 'WorkflowCancelled', 'WorkflowTimedOut', 'WorkflowTerminated',
                  'WorkflowContinuedAsNew')
   and exists (select 1 from durable.history_event l where l.run_id = e.run_id and l.event_id > e.event_id);

-- 1. A run is closed exactly if its closing event is there, and as that says.
select format('1: run %s of %s is %s, its last event is %s', w.run_id, w.workflow_id, w.status, coalesce(l.type, 'missing'))
  from durable.workflow_run w
  left join lateral (select e.type from durable.history_event e
         where e.run_id = w.run_id order by e.event_id desc limit 1) l on true
 where w.status is distinct from case l.type
           when 'WorkflowCompleted' then 'COMPLETED' when 'WorkflowFailed' then 'FAILED'
           when 'WorkflowCancelled' then 'CANCELLED' when 'WorkflowTimedOut' then 'TIMED_OUT'
           when 'WorkflowTerminated' then 'TERMINATED' when 'WorkflowContinuedAsNew' then 'CONTINUED_AS_NEW'
           else case when l.type is not null then 'RUNNING' end end
    or (w.status = 'RUNNING') <> (w.closed_at is null);

-- 1. A run continues as new, or is followed by another attempt, or a fork has taken its place, exactly if the next one names
-- it, in the same chain, and started later.
select format('1: run %s continued as %s, which is a run of chain %s that started at %s', w.run_id, w.next_run_id,
              coalesce(n.chain_id::text, 'none'), coalesce(n.started_at::text, 'no time'))
  from durable.workflow_run w
  left join durable.workflow_run n on n.run_id = w.next_run_id
 where w.status = 'CONTINUED_AS_NEW' and w.next_run_id is null
    or w.next_run_id is not null and w.status not in ('CONTINUED_AS_NEW', 'FAILED')
       and not exists (select 1 from durable.history_event f where f.run_id = w.next_run_id and f.type = 'WorkflowForked')
    or w.next_run_id is not null
       and (n.run_id is null or n.previous_run_id is distinct from w.run_id or n.workflow_id <> w.workflow_id
            or n.chain_id is distinct from coalesce(w.chain_id, w.run_id) or n.started_at <= w.started_at);

-- 1. Attempts are counted on where one has failed, and anew where a run has continued as new, in the row and in the event.
-- A fork that has taken the place of a run is a first attempt.
select format('1: run %s is attempt %s behind %s, which is attempt %s and %s; its event says %s', n.run_id, n.attempt, w.run_id,
              w.attempt, w.status, e.attempt)
  from durable.workflow_run w
  join durable.workflow_run n on n.run_id = w.next_run_id
 cross join lateral (
        select (durable.readable(e.attributes) -> 'attempt' ->> 'number')::integer as attempt
          from durable.history_event e where e.run_id = n.run_id and e.event_id = 1) e
 where (coalesce(n.attempt, 1) <> case w.status when 'FAILED' then coalesce(w.attempt, 1) + 1 else 1 end
        or coalesce(n.attempt, 1) <> coalesce(e.attempt, 1))
   and not exists (select 1 from durable.history_event f where f.run_id = w.next_run_id and f.type = 'WorkflowForked');

-- 1. A failed run names the next attempt in its closing event and in its row, or in neither.
select format('1: run %s is followed by %s, its closing event says %s', w.run_id, w.next_run_id,
              durable.readable(e.attributes) ->> 'nextRunId')
  from durable.history_event e
  join durable.workflow_run w on w.run_id = e.run_id
 where e.type = 'WorkflowFailed'
   and (durable.readable(e.attributes) ->> 'nextRunId')::uuid is distinct from w.next_run_id
   and not exists (select 1 from durable.history_event f where f.run_id = w.next_run_id and f.type = 'WorkflowForked');

-- 1. An open run is of the same chain in both of its rows.
select format('1: run %s is of chain %s in run_state and of %s in workflow_run', s.run_id, s.chain_id, w.chain_id)
  from durable.run_state s join durable.workflow_run w on w.run_id = s.run_id
 where s.chain_id is distinct from w.chain_id;

-- 2. No message is in the histories of two runs of a chain, but in the copy that a fork has of the run whose place it took.
select format('2: message %s is in more than one run of workflow %s', e.message_id, min(w.workflow_id))
  from durable.history_event e join durable.workflow_run w on w.run_id = e.run_id
 where e.message_id is not null and (w.chain_id is not null or w.next_run_id is not null)
   and not exists (select 1 from durable.history_event f where f.run_id = w.next_run_id and f.type = 'WorkflowForked')
 group by e.message_id, coalesce(w.chain_id, w.run_id) having count(*) > 1;

-- 1. Every history has its run.
select distinct format('1: run %s has events but no row', e.run_id)
  from durable.history_event e
 where not exists (select 1 from durable.workflow_run w where w.run_id = e.run_id);

-- 1. The next event id of an open run follows its last event.
select format('1: the next event of run %s is %s, its last is %s', s.run_id, s.next_event_id, l.event_id)
  from durable.run_state s
 cross join lateral (select max(e.event_id) as event_id from durable.history_event e where e.run_id = s.run_id) l
 where s.next_event_id is distinct from l.event_id + 1;

-- 1. Time does not go back within a history. Informing events have the time at which an attempt failed or was
-- prolonged: they are written later, with their activity's end, and other events may have come in between.
select format('1: event %s of run %s is earlier than the one before', event_id, run_id)
  from (select run_id, event_id, at, lag(at) over (partition by run_id order by event_id) as before
          from durable.history_event
         where type not in ('ActivityAttemptFailed', 'ActivityTimeoutUpdated', 'ActivityOptionsUpdated', 'ActivityOperated',
                            'IncidentRaised', 'IncidentResolved', 'ActivityAbandoned')) e
 where at < before;

-- 2. Each activity ends at most once, after it was scheduled; the outcome of a local one is its scheduling, too.
select format('2: activity %s of run %s: scheduled at %s, ends at %s', seq, run_id, scheduled, ends)
  from (select e.run_id, durable.seq_of(e.attributes) as seq,
               array_agg(e.event_id order by e.event_id) filter (
                   where e.type = 'ActivityScheduled' or durable.readable(e.attributes) -> 'local' is not null) as scheduled,
               array_agg(e.event_id order by e.event_id) filter (where e.type <> 'ActivityScheduled') as ends
          from durable.history_event e
         where e.type in ('ActivityScheduled', 'ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut',
                          'ActivityCancelled')
         group by e.run_id, durable.seq_of(e.attributes)) a
 where coalesce(cardinality(scheduled), 0) <> 1 or cardinality(ends) > 1 or ends[1] < scheduled[1];

-- 2. Each timer ends at most once, after it was started.
select format('2: timer %s of run %s: started at %s, ends at %s', seq, run_id, started, ends)
  from (select e.run_id, durable.seq_of(e.attributes) as seq,
               array_agg(e.event_id order by e.event_id) filter (where e.type = 'TimerStarted') as started,
               array_agg(e.event_id order by e.event_id) filter (where e.type <> 'TimerStarted') as ends
          from durable.history_event e
         where e.type in ('TimerStarted', 'TimerFired', 'TimerCancelled')
         group by e.run_id, durable.seq_of(e.attributes)) t
 where coalesce(cardinality(started), 0) <> 1 or cardinality(ends) > 1 or ends[1] < started[1];

-- 2. Each callback ends at most once, after it was opened.
select format('2: callback %s of run %s: opened at %s, ends at %s', callback, run_id, opened, ends)
  from (select e.run_id, durable.readable(e.attributes) ->> 'callback' as callback,
               array_agg(e.event_id order by e.event_id) filter (where e.type = 'CallbackOpened') as opened,
               array_agg(e.event_id order by e.event_id) filter (where e.type <> 'CallbackOpened') as ends
          from durable.history_event e
         where e.type in ('CallbackOpened', 'CallbackCompleted', 'CallbackFailed', 'CallbackTimedOut',
                          'CallbackCancelled')
         group by e.run_id, durable.readable(e.attributes) ->> 'callback') c
 where coalesce(cardinality(opened), 0) <> 1 or cardinality(ends) > 1 or ends[1] < opened[1];

-- 2. No activity of a completed run is left open: each ended, or was asked to end. Materialized, so that the plan does
-- not depend on the planner's guesses for tables that were never analyzed.
with hanging as materialized (
        select e.run_id, durable.seq_of(e.attributes) as seq
          from durable.history_event e
         where e.type in ('ActivityScheduled', 'ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut',
                          'ActivityCancelled', 'ActivityCancelRequested')
         group by e.run_id, durable.seq_of(e.attributes)
        having bool_and(e.type = 'ActivityScheduled'))
select format('2: run %s completed, but its activity %s neither ended nor was cancelled', h.run_id, h.seq)
  from hanging h
  join durable.workflow_run w on w.run_id = h.run_id
 where w.status = 'COMPLETED';

-- 3. Each open activity of an open run is a job or an outcome that waits, never both, never neither.
select format('3: activity %s of run %s is in %s places', coalesce(o.seq, p.seq), coalesce(o.run_id, p.run_id),
              coalesce(p.places, 0))
  from (select e.run_id, durable.seq_of(e.attributes) as seq
          from durable.history_event e join durable.run_state r on r.run_id = e.run_id
         where e.type in ('ActivityScheduled', 'ActivityCompleted', 'ActivityFailed', 'ActivityTimedOut',
                          'ActivityCancelled')
           and durable.readable(e.attributes) -> 'local' is null
         group by e.run_id, durable.seq_of(e.attributes) having count(*) = 1) o
  full join (select run_id, seq, count(*) as places
          from (select j.run_id, j.seq from durable.activity_job j
                union all
                select i.run_id, durable.seq_of(i.payload) from durable.inbox i where i.kind = 3) x
         group by run_id, seq) p on p.run_id = o.run_id and p.seq = o.seq
 where p.places is distinct from 1 or o.run_id is null;

-- 4. A closed run has no rows but its record and history, and an open run has its state.
select format('4: run %s is %s and has %s', w.run_id, w.status, x.what)
  from durable.workflow_run w
 cross join lateral (
        select 'a state' as what from durable.run_state s where s.run_id = w.run_id
        union all select 'a job' from durable.activity_job j where j.run_id = w.run_id
        union all select 'a message' from durable.inbox i where i.run_id = w.run_id
        union all select 'a heartbeat' from durable.activity_heartbeat h where h.run_id = w.run_id) x
 where w.status <> 'RUNNING'
union all
select format('4: run %s is open and has no state', w.run_id) from durable.workflow_run w
 where w.status = 'RUNNING' and not exists (select 1 from durable.run_state s where s.run_id = w.run_id);

-- 4. Rows that belong to a run have one.
select format('4: %s of run %s, which is not there', x.what, x.run_id)
  from (select 'state' as what, run_id from durable.run_state union select 'job', run_id from durable.activity_job
        union select 'message', run_id from durable.inbox union select 'heartbeat', run_id from durable.activity_heartbeat) x
 where not exists (select 1 from durable.workflow_run w where w.run_id = x.run_id);

-- 4. A heartbeat belongs to a job.
select format('4: a heartbeat of activity %s of run %s, which has no job', h.seq, h.run_id)
  from durable.activity_heartbeat h
 where not exists (select 1 from durable.activity_job j where j.run_id = h.run_id and j.seq = h.seq);

-- 4. At most one open run a workflow id.
select format('4: %s open runs of %s', count(*), workflow_id)
  from durable.workflow_run where status = 'RUNNING' group by workflow_id having count(*) > 1;

-- 5. A fence writes once: no process wrote under a fence that was replaced.
select format('5: fence %s wrote %s times into run %s', fence, count(*), run_id)
  from durable.history_event where fence is not null group by run_id, fence having count(*) > 1;

-- 5. No message, and so no lease token, became two events.
select format('5: message %s became %s events of run %s', message_id, count(*), run_id)
  from durable.history_event where message_id is not null group by run_id, message_id having count(*) > 1;

-- 5. Turns are whole: no transition begins with a command, except the one with the first turn of a run that a process
-- without a worker has started: its WorkflowStarted was written before, and it may have been paused meanwhile.
select format('5: a transition of run %s begins with %s at %s', run_id, type, event_id)
  from durable.history_event e
 where fence is not null and event_id > 2
   and exists (select 1 from durable.history_event b
                where b.run_id = e.run_id and b.event_id < e.event_id
                  and b.type not in ('WorkflowStarted', 'WorkflowPaused', 'WorkflowResumed'))
   and type in ('ActivityScheduled', 'ActivityCancelRequested', 'TimerStarted', 'TimerCancelled', 'SideEffectRecorded',
                'VersionRecorded', 'ExternalSignalRequested', 'ExternalCancelRequested', 'ChildStartRequested',
                'ChildStartWatched', 'ChildSignalRequested', 'ChildCancelRequested', 'UpdateCompleted', 'UpdateFailed',
                'CallbackOpened', 'CallbackCancelled', 'StreamAppended');

-- 2. Each update id is accepted once, and answered at most once after that.
select format('2: update %s of run %s: accepted at %s, answered at %s', u.id, u.run_id, u.accepted, u.answers)
  from (select e.run_id, durable.readable(e.attributes) ->> 'updateId' as id,
               array_agg(e.event_id order by e.event_id) filter (where e.type = 'UpdateAccepted') as accepted,
               array_agg(e.event_id order by e.event_id) filter (where e.type <> 'UpdateAccepted') as answers
          from durable.history_event e
         where e.type in ('UpdateAccepted', 'UpdateCompleted', 'UpdateFailed')
         group by e.run_id, durable.readable(e.attributes) ->> 'updateId') u
 where coalesce(cardinality(u.accepted), 0) <> 1 or cardinality(u.answers) > 1 or u.answers[1] < u.accepted[1];

-- 3. A job has a lease exactly while an attempt is under way, and a session exactly while that session runs it. A
-- paused job is in no queue.
select format('3: activity %s of run %s in state %s: lease %s, session %s, paused %s', seq, run_id, state, lease, session,
              paused)
  from durable.activity_job
 where (lease is not null) <> (state in (2, 5)) or (session is not null) <> (state = 2)
    or paused and state in (0, 1, 7) or state = 4 and not paused or state = 7 and limit_key is null;

-- 3. Exactly the jobs that wait for an operator have the time since when and a fingerprint.
select format('3: activity %s of run %s in state %s: buried at %s, fingerprint %s', seq, run_id, state, buried_at, fingerprint)
  from durable.activity_job
 where (buried_at is not null) <> (state in (3, 6)) or (fingerprint is not null) <> (state in (3, 6));

-- 5. A message that was set aside is not in the outbox.
select format('5: message %s of %s to %s was set aside and waits', event_id, run_id, target_workflow_id)
  from durable.outbox_refused r
 where exists (select 1 from durable.outbox o where o.run_id = r.run_id and o.event_id = r.event_id);

-- 6. The messages that the code of a chain sends to workflows are numbered 1..n, in the order of its runs and of their
-- events, as far as its first history is there. A fork that takes the place of a run leaves a gap.
select format('6: message %s of chain %s is recorded as its %s.', number, chain, place)
  from (select coalesce(w.chain_id, w.run_id) as chain,
               coalesce(durable.readable(e.attributes) ->> 'message', durable.readable(e.attributes) ->> 'number')::bigint
                   as number,
               row_number() over (partition by coalesce(w.chain_id, w.run_id) order by w.started_at, e.event_id) as place
          from durable.history_event e join durable.workflow_run w on w.run_id = e.run_id
         where e.type in ('ExternalSignalRequested', 'ExternalCancelRequested', 'ChildStartRequested', 'ChildStartWatched',
                          'ChildSignalRequested', 'ChildCancelRequested')) m
 where number is distinct from place and exists (select 1 from durable.history_event e where e.run_id = m.chain)
   and not exists (select 1 from durable.workflow_run w join durable.history_event f on f.run_id = w.run_id
                    where w.chain_id = m.chain and f.type = 'WorkflowForked');

-- 6. A message in the outbox that workflow code has sent is recorded in the history of its run, until retention drops it.
select format('6: message %s of run %s to %s is in the outbox and not in the history', o.event_id, o.run_id,
              o.target_workflow_id)
  from durable.outbox o
 where o.source_workflow_id is not null and o.kind not in (5, 9) and o.name <> 'Reset'
   and not exists (select 1 from durable.history_event e
                    where e.run_id in (select w.run_id from durable.workflow_run w
                                        where coalesce(w.chain_id, w.run_id) = o.run_id)
                      and e.type in ('ExternalSignalRequested', 'ExternalCancelRequested', 'ChildStartRequested',
                                     'ChildStartWatched', 'ChildSignalRequested', 'ChildCancelRequested')
                      and coalesce(durable.readable(e.attributes) ->> 'message',
                                   durable.readable(e.attributes) ->> 'number')::bigint = o.event_id)
   and exists (select 1 from durable.history_event e where e.run_id = o.run_id);

-- 6. A message that the relay has delivered is in one inbox or one history, but for the copies of forks. Its id follows from its source: version 3.
select format('6: message %s was delivered %s times: to the runs %s', message_id, count(*), string_agg(run_id::text, ', '))
  from (select e.run_id, e.message_id from durable.history_event e
         where e.type in ('SignalReceived', 'WorkflowCancelRequested')
           and not exists (select 1 from durable.history_event f
                            where f.run_id = e.run_id and f.type = 'WorkflowForked' and f.event_id > e.event_id)
        union all
        select i.run_id, i.message_id from durable.inbox i where i.kind in (1, 2)) m
 where substr(message_id::text, 15, 1) = '3' group by message_id having count(*) > 1;

-- 7. A child of an open parent was asked for by its parent, under its number and with its run id. Materialized, so that the
-- histories of parents with thousands of children are read once, and not for each child.
with requested as materialized (
        select coalesce(l.chain_id, l.run_id) as chain, (durable.readable(e.attributes) ->> 'number')::bigint as number,
               (durable.readable(e.attributes) ->> 'runId')::uuid as run_id
          from durable.history_event e join durable.workflow_run l on l.run_id = e.run_id
         where e.type = 'ChildStartRequested'),
open as materialized (select coalesce(p.chain_id, p.run_id) as chain from durable.run_state p)
select format('7: run %s is child %s of %s, which has not asked for it', w.run_id, w.parent_number, w.parent_workflow_id)
  from durable.workflow_run w
  join open p on p.chain = w.parent_chain
 where w.previous_run_id is null
   and not exists (select 1 from requested r
                    where r.chain = w.parent_chain and r.number = w.parent_number and r.run_id = w.run_id);

-- 7. The state of a child names the parent and the root that its run names.
select format('7: run %s has the parent %s, its state %s', w.run_id, w.parent_chain, s.parent_chain)
  from durable.run_state s
  join durable.workflow_run w on w.run_id = s.run_id
 where (s.parent_chain, s.root_chain) is distinct from (w.parent_chain, w.root_chain);

-- 7. Each number of a parent's chain gets one outcome at most, or the answer that the child was not started.
select format('7: child %s of chain %s has %s outcomes', number, chain, count(*))
  from (select coalesce(w.chain_id, w.run_id) as chain, (durable.readable(e.attributes) ->> 'number')::bigint as number
          from durable.history_event e
          join durable.workflow_run w on w.run_id = e.run_id
         where e.type in ('ChildCompleted', 'ChildFailed', 'ChildCancelled', 'ChildStartFailed')
           and not exists (select 1 from durable.history_event f where f.run_id = w.next_run_id and f.type = 'WorkflowForked')) o
 group by chain, number having count(*) > 1;

-- 7. The outcome of a child whose chain has ended is on its way to its open parent, waits for it, or was fed to it. Its
-- message has the child's chain as its id. A parent that has continued as new may not know children that it has
-- abandoned: it drops their outcomes. Materialized for the same reason.
with open as materialized (
        select p.run_id, p.chain_id, coalesce(p.chain_id, p.run_id) as chain from durable.run_state p),
fed as materialized (
        select coalesce(l.chain_id, l.run_id) as chain, e.message_id, count(*) as events
          from durable.history_event e join durable.workflow_run l on l.run_id = e.run_id
         where e.message_id is not null
           and not exists (select 1 from durable.history_event f where f.run_id = l.next_run_id and f.type = 'WorkflowForked')
         group by 1, 2)
select format('7: the outcome of run %s for %s is in %s places', run_id, parent_workflow_id, places)
  from (select w.run_id, w.parent_workflow_id, p.chain_id as continued,
               (select count(*) from durable.outbox o where o.run_id = coalesce(w.chain_id, w.run_id) and o.kind = 5)
             + (select count(*) from durable.outbox_refused o where o.run_id = coalesce(w.chain_id, w.run_id) and o.kind = 5)
             + (select count(*) from durable.inbox i
                 where i.run_id = p.run_id and i.message_id = coalesce(w.chain_id, w.run_id))
             + coalesce(f.events, 0) as places
          from durable.workflow_run w
          join open p on p.chain = w.parent_chain
          left join fed f on f.chain = w.parent_chain and f.message_id = coalesce(w.chain_id, w.run_id)
         where w.closed_at is not null and w.next_run_id is null) x
 where places > 1 or places = 0 and continued is null;

-- 7. A child whose parent has ended is ended by its policy, or the order to do so stands.
select format('7: run %s is open, its parent %s has ended, and no order ends it', s.run_id, s.parent_chain)
  from durable.run_state s
 where s.parent_policy in (1, 2)
   and not exists (select 1 from durable.run_state p where s.parent_chain in (p.run_id, p.chain_id))
   and not exists (select 1 from durable.outbox o where o.run_id = s.parent_chain and o.kind = 9);

-- 8. The offsets of a stream follow each other without a gap, up to its next one. They begin at 0, unless retention has
-- dropped the history of the run that appended the first ones.
select format('8: stream %s of chain %s has %s entries from %s to %s, its next is %s', s.name, s.chain_id, e.entries, e.first,
              e.last, s.next_offset)
  from durable.workflow_stream s
 cross join lateral (
        select count(*) as entries, min(e.entry_offset) as first, max(e.entry_offset) as last
          from durable.stream_entry e where e.chain_id = s.chain_id and e.name = s.name) e
 where e.last + 1 <> s.next_offset or e.last - e.first + 1 <> e.entries
    or e.entries <> s.next_offset
       and exists (select 1 from durable.history_event h where h.run_id = s.chain_id);

-- 8. The size of a stream is that of its entries, and each entry says how much is before it.
select format('8: entry %s of stream %s of chain %s ends at byte %s, the next begins at %s', e.entry_offset, e.name, e.chain_id,
              e.after, e.next)
  from (select e.*, e.bytes_before + octet_length(e.value::text) as after,
               coalesce(lead(e.bytes_before) over (partition by e.chain_id, e.name order by e.entry_offset), s.bytes) as next
          from durable.stream_entry e
          join durable.workflow_stream s on s.chain_id = e.chain_id and s.name = e.name) e
 where e.after <> e.next or e.entry_offset = 0 and e.bytes_before <> 0;

-- 8. An entry belongs to a stream, and was appended by a run of the stream's chain.
select format('8: entry %s of stream %s of chain %s was appended by run %s, which is of chain %s, and its stream is %s',
              e.entry_offset, e.name, e.chain_id, e.run_id, coalesce(w.chain_id, w.run_id), coalesce(s.name, 'missing'))
  from durable.stream_entry e
  left join durable.workflow_run w on w.run_id = e.run_id
  left join durable.workflow_stream s on s.chain_id = e.chain_id and s.name = e.name
 where coalesce(w.chain_id, w.run_id) is distinct from e.chain_id or s.name is null;

-- 8. Of what an activity has appended to a stream each entry is counted once.
select format('8: activity %s of run %s has appended %s entries to stream %s, and %s are there', p.seq, p.run_id,
              p.before + p.number + 1, p.name, e.entries)
  from durable.stream_source p
  join durable.workflow_run w on w.run_id = p.run_id
 cross join lateral (
        select count(*) as entries from durable.stream_entry e
         where e.chain_id = coalesce(w.chain_id, w.run_id) and e.name = p.name and e.run_id = p.run_id and e.seq = p.seq) e
 where e.entries <> p.before + p.number + 1
   and exists (select 1 from durable.history_event h where h.run_id = p.run_id);

-- 8. What the code of a run has appended to a stream is what its history records, in the same order, but for the copies of
-- forks.
select format('8: entry %s of the code of run %s in stream %s is %s, and recorded as %s', place, run_id, name, value, recorded)
  from (select e.run_id, e.stream ->> 'stream' as name, e.stream -> 'value' as recorded,
               row_number() over (partition by e.run_id, e.stream ->> 'stream' order by e.event_id) as place
          from (select e.run_id, e.event_id, durable.readable(e.attributes) as stream from durable.history_event e
                 where e.type = 'StreamAppended'
                   and not exists (select 1 from durable.history_event f
                                    where f.run_id = e.run_id and f.type = 'WorkflowForked' and f.event_id > e.event_id)) e) r
  full join (select e.run_id, e.name, durable.readable(e.value) as value,
                    row_number() over (partition by e.run_id, e.name order by e.entry_offset) as place
               from durable.stream_entry e where e.seq is null) w using (run_id, name, place)
 where r.recorded is distinct from w.value
   and (w.value is null or exists (select 1 from durable.history_event h where h.run_id = w.run_id));
