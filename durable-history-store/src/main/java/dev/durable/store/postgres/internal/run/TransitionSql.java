package dev.durable.store.postgres.internal.run;

import dev.durable.history.MessageKind;
import dev.durable.store.postgres.internal.job.LimitPlaceSql;
import dev.durable.store.postgres.internal.job.QueuePlaceSql;
import dev.durable.store.postgres.internal.message.KindSql;

/**
 * The SQL of transitions, in the order in which the statements run.
 *
 * <p>Lock order: run_state by (shard, workflow id), then activity_job by (run id, seq), then the rest by key. The
 * arrays come sorted so, {@code unnest} is the outer side, and each row but those of {@link #ADVANCE} is locked by key
 * in a LATERAL before it is written by ctid. A LATERAL that had to wait returns the <i>new</i> row version, which the
 * statement's own snapshot does not see: where a guarantee depends on it, rows are counted ({@code must}), or the lock
 * is a statement of its own.
 *
 * <p>Plans must not depend on statistics, which may describe tables that were empty (decision 0045, {@code PlanTest}).
 * So an inner LATERAL that does not lock ends in {@code offset 0}, which keeps its side inner; and {@code +shard} and
 * {@code wakes::int = 1} are comparisons that no index serves, so that the planner uses the index that begins with the
 * id.
 */
public final class TransitionSql {
    private TransitionSql() {}

    /** Locks the runs of a batch in which a run closes: all, in order, before anything else. */
    static final String LOCK_RUNS = """
            select u.run_id from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::bigint[])
                       as u(run_id, shard, fence, next_event_id)
             cross join lateral (select 1 from durable.run_state s
                    where s.run_id = u.run_id and +s.shard = u.shard and s.fence = u.fence
                      and s.next_event_id = u.next_event_id for no key update) s""";

    private static final String CLOSERS = """
            select 1 from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::bigint[])
                       as u(run_id, shard, fence, next_event_id)
             cross join lateral (select 1 from durable.run_state s
                    where s.run_id = u.run_id and +s.shard = u.shard and s.fence = u.fence
                      and s.next_event_id = u.next_event_id for update) s""";

    /** Locks closing runs against senders, for whose KEY SHARE it waits; the inbox is tested in a later statement. */
    static final String LOCK_CLOSERS =
            "with x as (" + CLOSERS + ") select durable.must(count(*) = ?, 'fence of a closing run') from x";

    /**
     * Locks the jobs that end here, a range of seqs of a run each, and waits here for outcomes that another process is
     * writing.
     */
    static final String LOCK_JOBS = """
            select j.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::int[]) as u(run_id, shard, first, last)
             cross join lateral (
                    select j.run_id, j.seq, j.task_queue, j.lease, j.state,
                           j.attempt, j.cancel_requested, j.notes, j.operator_notes
                      from durable.activity_job j
                     where j.run_id = u.run_id and j.shard = u.shard and j.seq between u.first and u.last
                     order by j.seq for update) j""";

    /**
     * Finds closing runs with messages that refuse it beyond those that they consume; run when they and their jobs are
     * locked.
     */
    static final String WITH_MESSAGES = KindSql.in("""
            select u.run_id from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             where exists (select 1 from durable.inbox i
                    where i.run_id = u.run_id and i.shard = u.shard and i.wakes::int = 1
                      and i.message_id <> all(?::uuid[]) and i.kind <> all(${harmless}))""");

    /** Finds runs whose place a start takes, and that are asked to cancel; run when they are locked. */
    static final String ASKED_TO_CANCEL = """
            select i.run_id from durable.inbox i
             where i.run_id = any(?::uuid[]) and i.shard = any(?::smallint[]) and i.kind = ${cancel}""".replace("${cancel}", "" + MessageKind.CANCEL.code());

    /** Marks a run as closing after three refusals: from then on senders have to try again until it is closed. */
    static final String MARK_CLOSING = """
            update durable.run_state s set closing = true
             where s.run_id = any(?::uuid[]) and +s.shard = any(?::smallint[])""";

    /**
     * The step itself (that of a run alone is in {@link StepSql}): a writer that names the current fence and the next
     * event id replaces the fence. Returns the runs that are parked although a message waits beyond those that they
     * consume; a message that comes too late to be seen here is found by the next claim. Mostly no run of the batch has
     * any, so that is tested once for all of them (one descent of the index from PostgreSQL 17 on), and only then for
     * each.
     *
     * <p>Here the update itself locks, row by row in the order of the arrays; if it had to wait, it tests the row's new
     * version. A lock before it costs a tenth more (decision 0045). The id is compared as one of an array so that the
     * table can't be the outer side: by an index that is in order of the id, the planner would rather walk through a
     * table it takes to be nearly empty.
     */
    static final String ADVANCE = """
            with x as (
                update durable.run_state s
                   set fence = u.new_fence, next_event_id = s.next_event_id + u.events,
                       owned_until = case when u.park and (not u.more or u.events + u.consumed = 0) then null
                                          else s.owned_until end,
                       wake_at = case when u.park and s.wake_at <= durable.clock() then u.wake_at
                                      else least(s.wake_at, u.wake_at) end,
                       not_before = null, stalls = 0, stalled_by = null, expires_at = null, closing = false
                  from (select u.*,
                               u.park and (select exists (select 1 from durable.inbox i
                                                   where i.run_id = any(?::uuid[]) and i.wakes::int = 1))
                                   and exists (select 1 from durable.inbox i where i.run_id = u.run_id
                                               and i.shard = u.shard and i.wakes::int = 1 offset u.consumed) as more
                          from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::bigint[], ?::uuid[], ?::int[], ?::int[],
                                      ?::boolean[], ?::timestamptz[])
                               as u(run_id, shard, fence, next_event_id, new_fence, events, consumed, park, wake_at)
                        offset 0) u
                 where s.run_id = any(array[u.run_id]) and +s.shard = u.shard and s.fence = u.fence
                   and s.next_event_id = u.next_event_id returning s.run_id, u.more)
            select durable.must(count(*) = ?, 'fence'), array_agg(x.run_id) filter (where x.more) as waiting from x""";

    /**
     * Records why a run can't go on for now, and when it is to be tried again. Its messages and timers stay. A build that
     * stalls while the back-off of others lasts is held back with them, so that two builds that both can't go on do not
     * take turns without a pause.
     */
    static final String STALL = """
            with x as (
                update durable.run_state s
                   set fence = u.new_fence, owned_until = null, stalls = s.stalls + 1, stalled_by = u.reason, closing = false,
                       not_before = durable.clock() + u.retry_in * interval '1 ms',
                       stalled_builds = case when u.build is null then null
                                             when s.not_before > durable.clock() then array_append(s.stalled_builds, u.build)
                                             else array[u.build] end
                  from (select s.c, u.* from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::bigint[], ?::uuid[], ?::text[],
                                    ?::bigint[], ?::text[])
                               as u(run_id, shard, fence, next_event_id, new_fence, reason, retry_in, build)
                         cross join lateral (select s.ctid as c from durable.run_state s
                                where s.run_id = u.run_id and +s.shard = u.shard and s.fence = u.fence
                                  and s.next_event_id = u.next_event_id for no key update) s) u
                 where s.ctid = u.c returning 1)
            select durable.must(count(*) = ?, 'fence of a stalling run') from x""";

    /** Deletes jobs that ended in this worker, under the leases that it holds. */
    static final String SETTLE = """
            with x as (delete from durable.activity_job where ctid = any(array(
                select j.c from unnest(?::uuid[], ?::smallint[], ?::int[], ?::uuid[]) as u(run_id, shard, seq, lease)
                 cross join lateral (select j.ctid as c from durable.activity_job j
                        where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq and j.lease = u.lease
                        for update) j)) returning 1)
            select durable.must(count(*) = ?, 'lease') from x""";

    /**
     * Deletes consumed messages. Only the holder of the fence deletes messages, and no transaction updates them, so no
     * lock is needed.
     */
    static final String CONSUME = """
            delete from durable.inbox where ctid = any(array(
                select i.c from unnest(?::uuid[], ?::smallint[], ?::uuid[]) as u(run_id, shard, message_id)
                 cross join lateral (select i.ctid as c from durable.inbox i
                        where i.run_id = u.run_id and i.shard = u.shard and i.message_id = u.message_id offset 0) i))""";

    static final String EVENTS = """
            insert into durable.history_event (run_id, event_id, at, message_id, fence, shard, type, attributes)
            select u.run_id, u.event_id, u.at, u.message_id, u.fence, u.shard, u.type, u.attributes::json
              from unnest(?::uuid[], ?::bigint[], ?::timestamptz[], ?::uuid[], ?::uuid[], ?::smallint[], ?::text[],
                          ?::text[]) as u(run_id, event_id, at, message_id, fence, shard, type, attributes)""";

    /**
     * Inserts jobs: ready ones, those that wait until their limit key lets them through, and eager ones, which are
     * inserted as claimed by the worker that writes them.
     */
    static final String JOBS = births("", "durable.clock()", "", "", "", "");

    /**
     * Inserts jobs of which some have a delay, or a place in a batch, in two more columns: null is none. Jobs with a
     * place are ordered by it in their queue, whatever the order in which they are written. Jobs of steps have neither.
     */
    static final String JOBS_APART = births(
            ", visible_at",
            "coalesce(u.place, durable.clock()) + coalesce(u.delay, 0) * interval '1 ms'",
            "when u.delay is not null then ${DELAYED} ",
            "coalesce(u.place, durable.clock()) + u.delay * interval '1 ms', ",
            ", ?::bigint[], ?::timestamptz[]",
            ", delay, place");

    private static String births(
            String visibleAt, String since, String delayed, String due, String type, String column) {
        return QueuePlaceSql.in("""
            insert into durable.activity_job (run_id, seq, shard, workflow_id, workflow_type, task_queue, activity,
                   priority, rank, state%s, lease, session, claimed_at, scheduled_at, schedule_to_start_deadline,
                   schedule_to_close_deadline, max_crashes, input, options, headers, limit_key)
            select u.run_id, u.seq, u.shard, u.workflow_id, u.workflow_type, u.task_queue, u.activity, u.priority,
                   %s - u.priority * ${ageStep}, case when u.lease is not null then ${RUNNING} %swhen u.limit_key is null then ${READY}
                   else ${WAITING} end,
                   %su.lease, u.session, case when u.lease is null then null else durable.clock() end,
                   u.scheduled_at, u.start_deadline, u.close_deadline, u.max_crashes,
                   u.input::json, u.options::json, u.headers::json, u.limit_key
              from unnest(?::uuid[], ?::int[], ?::smallint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[],
                          ?::uuid[], ?::uuid[], ?::timestamptz[], ?::timestamptz[], ?::timestamptz[], ?::int[],
                          ?::text[], ?::text[], ?::text[], ?::text[]%s)
                   as u(run_id, seq, shard, workflow_id, workflow_type, task_queue, activity, priority, lease, session,
                        scheduled_at, start_deadline, close_deadline, max_crashes, input, options, headers, limit_key%s)""".formatted(visibleAt, since, delayed, due, type, column));
    }

    /** Deletes the remaining jobs of runs that close; outcomes of other processes could not be written until here. */
    static final String DROP_JOBS = """
            delete from durable.activity_job where ctid = any(array(
                select j.c from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
                 cross join lateral (select j.ctid as c from durable.activity_job j
                        where j.run_id = u.run_id and j.shard = u.shard order by j.seq for update) j))""";

    /** The condition that a deleted job carried notes or heartbeat details, which the history has to keep. */
    private static final String CARRIED = """
            (e.noted or exists (select 1 from durable.activity_heartbeat h
                    where h.run_id = e.run_id and h.shard = e.shard and h.seq = e.seq offset 0))""";

    private static final String ENDED = "ended as (" + DROP_JOBS
            + " returning run_id, shard, seq, lease, session, task_queue, limit_key,"
            + " notes is not null or operator_notes is not null as noted)";

    /** Deletes the jobs of runs whose bodies may go on: bodies of jobs under limits keep their places. */
    static final String DROP_RUNNING_JOBS = "with " + ENDED + "\n" + LimitPlaceSql.KEEP_ENDED;

    /**
     * Deletes the jobs of closing runs if none carries notes or details: those of other jobs have been read and written
     * under the lock.
     */
    static final String DROP_SILENT_JOBS = "with " + ENDED + ",\nkept as (" + LimitPlaceSql.KEEP_ENDED + ")\n"
            + "select durable.must(not exists (select 1 from ended e where " + CARRIED
            + "), 'job with something to tell')";

    private static final String NOTHING = KindSql.in("""
            not exists (select 1 from durable.inbox i
                             where i.run_id = any(?::uuid[]) and i.shard = any(?::smallint[]) and i.wakes::int = 1
                               and i.kind <> all(${harmless}))
                and not exists (select 1 from durable.activity_job j
                             where j.run_id = any(?::uuid[]) and j.shard = any(?::smallint[]))
            """);

    /**
     * Checks, after the locks and in a statement of its own, that no message that refuses a close and no job is left: its
     * snapshot sees the commits that the locks waited for.
     */
    static final String NOTHING_WAITS = "select durable.must(" + NOTHING + ", 'close')";

    /** Checks that, and that no outcome of an activity waits for the runs that others continue. */
    static final String NO_OUTCOME_WAITS =
            "select durable.must(" + NOTHING + """
            and not exists (select 1 from durable.inbox i
                             where i.run_id = any(?::uuid[]) and i.shard = any(?::smallint[])
                               and i.kind = ${outcome}), 'close')""".replace("${outcome}", "" + MessageKind.ACTIVITY_OUTCOME.code());

    /** Reads those outcomes, when the runs and their jobs are locked: the next runs are not given them. */
    static final String OUTCOMES = """
            select u.run_id, i.message_id, i.name, i.payload, i.notes
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (select i.* from durable.inbox i
                    where i.run_id = u.run_id and i.shard = u.shard and i.kind = ${outcome}
                    order by i.at, i.ord offset 0) i""".replace("${outcome}", "" + MessageKind.ACTIVITY_OUTCOME.code());

    static final String CLOSE_RUNS = """
            update durable.workflow_run w
               set status = u.status, result = u.result::json, failure = u.failure::json, closed_at = durable.clock(),
                   close_fence = u.fence, next_run_id = u.next_run_id
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::text[], ?::text[], ?::text[],
                                ?::uuid[], ?::uuid[])
                           as u(run_id, shard, status, result, failure, fence, next_run_id)
                     cross join lateral (select w.ctid as c from durable.workflow_run w
                            where w.run_id = u.run_id and +w.shard = u.shard offset 0) j) u
             where w.ctid = u.c""";

    /**
     * Writes the lines that say what runs are doing, for those whose code has changed them. A line that stands there
     * already writes nothing, so that the row's page stays as it is.
     */
    static final String DETAILS = """
            update durable.workflow_run w set details = nullif(u.details, '')
              from (select j.c, u.details from unnest(?::uuid[], ?::smallint[], ?::text[]) as u(run_id, shard, details)
                     cross join lateral (select w.ctid as c from durable.workflow_run w
                            where w.run_id = u.run_id and +w.shard = u.shard
                              and w.details is distinct from nullif(u.details, '') offset 0) j) u
             where w.ctid = u.c""";

    /**
     * Writes the builds whose code has made turns, for runs whose rows have another. It is run behind the statements that
     * lock these rows.
     */
    static final String BUILDS = """
            update durable.run_state s
               set build = u.build, pinned_to = case when u.pinned then u.build else s.pinned_to end
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::text[], ?::boolean[])
                           as u(run_id, shard, build, pinned)
                     cross join lateral (select s.ctid as c from durable.run_state s
                            where s.run_id = u.run_id and +s.shard = u.shard offset 0) j) u
             where s.ctid = u.c""";

    static final String DROP_INBOX = """
            delete from durable.inbox i where i.run_id = any(?::uuid[]) and i.shard = any(?::smallint[])""";

    static final String DROP_ALL_HEARTBEATS = """
            delete from durable.activity_heartbeat h where h.run_id = any(?::uuid[]) and h.shard = any(?::smallint[])""";

    static final String DROP_STATE = """
            delete from durable.run_state s where s.run_id = any(?::uuid[]) and +s.shard = any(?::smallint[])""";

    /**
     * Starts the runs that continue closed ones, and the next attempts of failed ones: each takes over the row of the run that is open under the workflow id,
     * so that senders who wait for its lock find it by workflow id or chain, and the messages of senders. Outcomes of
     * activities go, as their numbers begin anew. It starts later than the run that it continues, whatever the clock
     * says, as the latest run of a workflow id is found by that time. Any build may begin it, unless it is pinned to one. A
     * message ends the delay of a run that continues as new, and not the back-off of an attempt, before whose end no worker may claim it.
     */
    static final String GO_ON = """
            with next as materialized (
                select u.* from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::bigint[],
                                       ?::timestamptz[], ?::boolean[], ?::text[])
                       as u(run_id, shard, next_run_id, fence, type, task_queue, delay, deadline, retries, pinned_to)),
            state as (
                update durable.run_state s
                   set run_id = u.next_run_id, chain_id = coalesce(s.chain_id, s.run_id), fence = u.fence,
                       next_event_id = 2, owned_until = null, last_session = null, expires_at = null,
                       not_before = case when u.retries then durable.clock() + u.delay * interval '1 ms' end,
                       wake_at = durable.clock() + u.delay * interval '1 ms', deadline = u.deadline, stalls = 0,
                       stalled_by = null, stalled_builds = null, build = null, pinned_to = u.pinned_to,
                       closing = false, type = u.type, task_queue = u.task_queue
                  from (select s.c, u.* from next u
                         cross join lateral (select s.ctid as c from durable.run_state s
                                where s.run_id = u.run_id and +s.shard = u.shard offset 0) s) u
                 where s.ctid = u.c),
            run as (
                insert into durable.workflow_run (run_id, shard, workflow_id, type, task_queue, status, started_at, memo,
                       chain_id, previous_run_id, parent_workflow_id, parent_chain, parent_number, root_chain, has_children,
                       attempt)
                select u.next_run_id, u.shard, w.workflow_id, u.type, u.task_queue, 'RUNNING',
                       greatest(durable.clock(), w.started_at + interval '1 us'), w.memo, coalesce(w.chain_id, u.run_id),
                       u.run_id, w.parent_workflow_id, w.parent_chain, w.parent_number, w.root_chain, w.has_children,
                       case when u.retries then coalesce(w.attempt, 1) + 1 end
                  from next u
                 cross join lateral (select w.* from durable.workflow_run w
                        where w.run_id = u.run_id and +w.shard = u.shard offset 0) w),
            moved as (
                delete from durable.inbox where ctid = any(array(
                    select i.c from next u
                     cross join lateral (select i.ctid as c from durable.inbox i
                            where i.run_id = u.run_id and i.shard = u.shard offset 0) i))
                returning run_id, message_id, at, ord, kind, shard, wakes, name, payload, notes)
            insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload, notes)
            select u.next_run_id, m.message_id, m.at, m.ord, m.kind, m.shard, m.wakes, u.task_queue, m.name, m.payload,
                   m.notes
              from moved m join next u on u.run_id = m.run_id where m.kind <> ${outcome}
             order by u.next_run_id, m.message_id""".replace("${outcome}", "" + MessageKind.ACTIVITY_OUTCOME.code());

    /**
     * The first of two statements for a batch in which all runs close. It locks the runs, then deletes their jobs; the
     * completed ones must be among them, under their leases, and the others must carry no notes or details for the
     * history, unless those are among the events. A job that another transaction changed while this statement waited
     * for it stays, and is found by the count or as a job that is left. The bodies of the others may go on ({@link
     * LimitPlaceSql}).
     */
    static final String END = "with locked as (" + CLOSERS + "),\n" + ENDED + ",\nkept as (" + LimitPlaceSql.KEEP_ENDED
            + ")\n"
            + "select durable.must((select count(*) from locked) = ?, 'fence of a closing run'),"
            + " durable.must((select count(*) filter (where e.lease in (select unnest(?::uuid[]))) from ended e) = ?,"
            + " 'lease of a closing run'),"
            + " durable.must(?::boolean or not exists (select 1 from ended e"
            + " where coalesce(e.lease not in (select unnest(?::uuid[])), true) and " + CARRIED
            + "), 'job with something to tell')";

    /** The second statement: with a snapshot after these locks it tests that no message waits, and writes the rest. */
    static final String CLOSE = "with appended as (" + EVENTS + "),\nclosed as (" + CLOSE_RUNS + "),\nread as ("
            + DROP_INBOX + "),\nsilent as (" + DROP_ALL_HEARTBEATS + "),\ngone as (" + DROP_STATE + ")\n"
            + NOTHING_WAITS;
}
