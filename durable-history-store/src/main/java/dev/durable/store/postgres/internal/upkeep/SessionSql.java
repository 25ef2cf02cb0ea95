package dev.durable.store.postgres.internal.upkeep;

import dev.durable.store.postgres.internal.job.QueuePlaceSql;

/** The SQL of sessions: beats, held jobs, and sweeping of dead sessions. */
public final class SessionSql {
    private SessionSql() {}

    static final String OPEN = """
            insert into durable.session (id, beat, started_at, dead, lease, identity, queues, activities,
                   workflow_types, build)
            values (?, 0, durable.clock(), false, ? * interval '1 ms', ?, ?::text[], ?::text[], ?::text[], ?)
            on conflict do nothing""";

    static final String BEAT = """
            update durable.session set beat = beat + 1 where id = ? and not dead returning id""";

    static final String LIST = """
            select s.id, s.identity, s.beat, s.dead, s.started_at,
                   (extract(epoch from s.lease) * 1000)::bigint as lease_ms, s.queues, s.activities,
                   s.workflow_types, s.build
              from durable.session s order by s.id""";

    static final String MARK_DEAD = """
            update durable.session set dead = true where id = ? and beat = ? and not dead returning id""";

    static final String HELD = QueuePlaceSql.in("""
            select j.run_id, j.workflow_id, j.seq, j.lease, j.cancel_requested, j.revision, j.deadline,
                   case when j.revision > 0 then j.options end as options, j.schedule_to_close_deadline,
                   j.operator_notes
              from durable.activity_job j
             where j.session = ? and j.state = ${RUNNING}""");

    static final String CLOSE = "delete from durable.session where id = ?";

    /** The jobs of a session that is closed, in lock order; no other process competes for them. */
    static final String LOCK_JOBS_OF = QueuePlaceSql.in("""
            select j.workflow_id, j.run_id, j.seq, j.task_queue, j.lease, j.state, j.attempt, j.cancel_requested, j.notes,
                   j.operator_notes, j.options, j.workflow_type, j.activity, j.crashes, j.max_crashes,
                   durable.clock() as now
              from durable.activity_job j where j.session = ? and j.state = ${RUNNING}
             order by j.run_id, j.seq for update""");

    /** The query of a sweep that finds nothing to do. */
    static final String ORPHANS_OR_DEAD = QueuePlaceSql.in("""
            with recursive holder as (
                (select j.session from durable.activity_job j where j.state = ${RUNNING}
                  order by j.session limit 1)
                union all
                select j.session from holder h
                 cross join lateral (select j.session from durable.activity_job j
                        where j.state = ${RUNNING} and j.session > h.session order by j.session limit 1) j)
            select coalesce(bool_or(s.dead), false)
                or exists (select 1 from holder h
                            where not exists (select 1 from durable.session s where s.id = h.session and not s.dead))
                as found
              from (select s.dead from durable.session s order by s.id) s""");

    /**
     * Locks running jobs of sessions that are dead or gone. The sessions that hold jobs are found by a skip scan, and
     * then judged.
     */
    static final String LOCK_ORPHANS = QueuePlaceSql.in("""
            with recursive holder as (
                (select j.session from durable.activity_job j where j.state = ${RUNNING}
                  order by j.session limit 1)
                union all
                select j.session from holder h
                 cross join lateral (select j.session from durable.activity_job j
                        where j.state = ${RUNNING} and j.session > h.session order by j.session limit 1) j),
            gone as materialized (
                select h.session from holder h
                 where not exists (select 1 from durable.session s where s.id = h.session and not s.dead))
            select j.* from gone g
             cross join lateral (
                    select j.workflow_id, j.crashes, j.max_crashes, j.run_id, j.seq, j.task_queue, j.lease,
                           j.state, j.attempt, j.cancel_requested, j.notes, j.operator_notes, j.activity, j.options,
                           j.workflow_type, durable.clock() as now
                      from durable.activity_job j where j.session = g.session and j.state = ${RUNNING}
                       for no key update skip locked) j
             limit ?""");

    /** The last condition of {@link #LOCK_ORPHANS} on a job. */
    static String isOrphan() {
        return QueuePlaceSql.in("j.session = g.session and j.state = ${RUNNING}");
    }

    /** A crash each, within the budget: back into the queue. */
    static final String CRASH = QueuePlaceSql.in("""
            update durable.activity_job j
               set crashes = j.crashes + 1, state = ${claimable},
                   rank = durable.clock() - j.priority * ${ageStep}, visible_at = null,
                   lease = null, claim = null, session = null, claimed_at = null, deadline = null, silent_until = null,
                   begun = true
              from (select j.c from unnest(?::uuid[], ?::smallint[], ?::int[]) as u(run_id, shard, seq)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""");

    /** Deletes the rows of dead sessions that hold no jobs any more. */
    static final String FORGET = QueuePlaceSql.in("""
            delete from durable.session s
             where s.dead
               and not exists (select 1 from durable.activity_job j where j.session = s.id and j.state = ${RUNNING})""");
}
