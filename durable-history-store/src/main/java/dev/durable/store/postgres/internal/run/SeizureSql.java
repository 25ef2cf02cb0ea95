package dev.durable.store.postgres.internal.run;

import dev.durable.store.postgres.internal.job.QueuePlaceSql;
import dev.durable.store.postgres.internal.message.KindSql;

/** The SQL that terminates, times out, pauses, moves and reads back runs under their locks. */
public final class SeizureSql {
    private SeizureSql() {}

    /** The open run of each workflow id, or of each chain, locked in the order of the arrays. */
    private static final String OPEN = """
             from unnest(?::int[], ?::text[], ?::smallint[], ?::uuid[]) as u(item, workflow_id, shard, run_id)
             cross join lateral (select s.* from durable.run_state s
                    where s.workflow_id = u.workflow_id and +s.shard = u.shard
                      and (u.run_id is null or u.run_id in (s.run_id, s.chain_id)) for ${strength}) s""";

    /** Locks the open runs against their senders and their holders. */
    static final String LOCK_RUNS = """
            select u.item, s.run_id, s.next_event_id,
                   coalesce(least(s.deadline, s.expires_at) <= durable.clock(), false) as due,
                   s.parent_chain is not null or exists (select 1 from durable.workflow_run w
                        where w.run_id = s.run_id and +w.shard = s.shard and w.has_children offset 0) as related
            """ + OPEN.replace("${strength}", "update");

    /** Locks the runs against their holders; senders may go on, as no part of the runs ends. */
    static final String LOCK_TO_CHANGE = """
            select u.item, s.run_id, s.task_queue, s.paused, s.pinned_to,
                   s.stalled_by is not null and s.not_before is not null as held_back
            """ + OPEN.replace("${strength}", "no key update");

    /** Pauses or resumes under the locks: each gets a new fence and one event, and a row of the audit where one is asked for. */
    static final String PAUSE = """
            with x as (
                update durable.run_state s
                   set paused = u.paused, closing = false, fence = u.fence, owned_until = null,
                       next_event_id = s.next_event_id + 1
                  from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::text[], ?::text[], ?::text[],
                                ?::boolean[], ?::text[], ?::text[])
                               as u(run_id, shard, fence, actor, action, details, paused, type, attributes)
                         cross join lateral (select s.ctid as c from durable.run_state s
                                where s.run_id = u.run_id and +s.shard = u.shard offset 0) j) u
                 where s.ctid = u.c
                returning s.workflow_id, s.next_event_id - 1 as event_id, u.*),
            e as (
                insert into durable.history_event (run_id, event_id, at, message_id, fence, shard, type, attributes)
                select x.run_id, x.event_id,
                       greatest(durable.clock(), (select l.at from durable.history_event l
                            where l.run_id = x.run_id and l.shard = x.shard order by l.event_id desc limit 1)),
                       null, x.fence, x.shard, x.type, x.attributes::json from x)
            insert into durable.audit (id, at, actor, action, target, details)
            select x.fence, durable.clock(), x.actor, x.action, x.workflow_id, x.details::json from x
             where x.actor is not null""";

    /** Lets runs go on under the locks: a new fence, the end of a stall's back-off, the build if any, a row of the audit. */
    static final String MOVE = """
            with x as (
                update durable.run_state s
                   set pinned_to = coalesce(u.build, s.pinned_to), closing = false, fence = u.fence, owned_until = null,
                       not_before = case when s.stalled_by is null then s.not_before end
                  from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::text[], ?::text[], ?::text[],
                                ?::text[])
                               as u(run_id, shard, fence, actor, action, details, build)
                         cross join lateral (select s.ctid as c from durable.run_state s
                                where s.run_id = u.run_id and +s.shard = u.shard offset 0) j) u
                 where s.ctid = u.c
                returning s.workflow_id, u.*)
            insert into durable.audit (id, at, actor, action, target, details)
            select x.fence, durable.clock(), x.actor, x.action, x.workflow_id, x.details::json from x
             where x.actor is not null""";

    /** Locks all jobs of runs, in order. */
    static final String LOCK_JOBS = """
            select j.* from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (
                    select j.run_id, j.seq, j.task_queue, j.lease, j.state,
                           j.attempt, j.cancel_requested, j.notes, j.operator_notes
                      from durable.activity_job j
                     where j.run_id = u.run_id and j.shard = u.shard order by j.seq for update) j""";

    /**
     * Reads, after the locks, the number of messages that are dropped, the time of the end (never before the latest
     * event's), and whether the run has a history at all.
     */
    static final String LEFT = KindSql.in("""
            select u.run_id, m.messages, greatest(durable.clock(), l.at) as at, l.at is not null as recorded
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (select count(*)::int as messages from durable.inbox i
                    where i.run_id = u.run_id and i.shard = u.shard and i.wakes::int = 1
                      and i.kind <> all(${uncounted})) m
              left join lateral (select e.at from durable.history_event e
                    where e.run_id = u.run_id and e.shard = u.shard order by e.event_id desc limit 1) l on true""");

    /** The audit's row of a run that was ended without an event, as its history is gone. */
    static final String AUDIT_GONE = """
            insert into durable.audit (id, at, actor, action, target, details)
            values (?, durable.clock(), 'durable', 'close run without history', ?, ?::json)""";

    /** The runs that earlier sends of these seizures closed. */
    static final String CLOSED_BY = """
            select u.item, w.run_id
              from unnest(?::int[], ?::text[], ?::smallint[], ?::uuid[]) as u(item, workflow_id, shard, fence)
             cross join lateral (select w.run_id from durable.workflow_run w
                    where w.workflow_id = u.workflow_id and +w.shard = u.shard and w.close_fence = u.fence offset 0) w""";

    /** Locks the run if it is open, and so waits for a transition that is still on its way. */
    static final String LOCK_FOR_READ_BACK = """
            select 1 from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (select 1 from durable.run_state s
                    where s.run_id = u.run_id and +s.shard = u.shard for update) s""";

    /** Reads the state of the run in a statement of its own, after the lock. */
    static final String READ_BACK = """
            select u.item, w.run_id is not null as known, s.run_id is not null as open, s.next_event_id,
                   coalesce(s.fence = u.fence, false) or coalesce(w.close_fence = u.fence, false)
                       or coalesce(e.fence = u.fence, false) as happened
              from unnest(?::int[], ?::uuid[], ?::smallint[], ?::uuid[], ?::bigint[]) as u(item, run_id, shard, fence, event_id)
              left join lateral (select s.run_id, s.fence, s.next_event_id from durable.run_state s
                    where s.run_id = u.run_id and +s.shard = u.shard) s on true
              left join lateral (select w.run_id, w.close_fence from durable.workflow_run w
                    where w.run_id = u.run_id and +w.shard = u.shard) w on true
              left join lateral (select e.fence from durable.history_event e
                    where e.run_id = u.run_id and e.event_id = u.event_id and e.shard = u.shard) e on true""";

    /**
     * Runs past their deadline, and runs that no worker began in time. Runs that are locked are left for the next pass,
     * as the first one would hold up all behind it.
     */
    static final String EXPIRED = """
            select d.* from (select s.run_id, s.workflow_id from durable.run_state s
                     where s.deadline <= durable.clock() order by s.deadline limit ? for no key update skip locked) d
            union
            select e.* from (select s.run_id, s.workflow_id from durable.run_state s
                     where s.expires_at <= durable.clock() order by s.expires_at limit ? for no key update skip locked) e
            limit ?""";

    /** The query of an idle process for all timeouts that no worker watches. The indexes have these expressions. */
    static final String EARLIEST_TIMEOUTS = QueuePlaceSql.in("""
            select (select least(j.schedule_to_close_deadline,
                                 case when not j.begun then j.schedule_to_start_deadline end)
                      from durable.activity_job j
                     where j.state in ${idle}
                       and least(j.schedule_to_close_deadline,
                                 case when not j.begun then j.schedule_to_start_deadline end)
                           is not null
                     order by least(j.schedule_to_close_deadline,
                                    case when not j.begun then j.schedule_to_start_deadline end)
                     limit 1) as waiting,
                   (select least(j.deadline, j.silent_until, j.schedule_to_close_deadline) from durable.activity_job j
                     where j.state = ${EXTERNAL} order by least(j.deadline, j.silent_until, j.schedule_to_close_deadline)
                     limit 1) as external,
                   least((select s.deadline from durable.run_state s where s.deadline is not null
                           order by s.deadline limit 1),
                         (select s.expires_at from durable.run_state s where s.expires_at is not null
                           order by s.expires_at limit 1)) as runs""");
}
