package dev.durable.store.postgres.internal.job;

/** The SQL of orders on jobs by operators, token holders and timeouts. */
public final class OrderSql {
    private OrderSql() {}

    /** Finds orders that were carried out before, by their rows in the audit. */
    static final String CARRIED_OUT = "select a.id from durable.audit a where a.id = any(?::uuid[])";

    /**
     * Locks the jobs in order, whichever worker runs them; the later statements of the transaction decide by the rows
     * that this one returns.
     */
    static final String LOCK = """
            select u.item, j.*
              from unnest(?::int[], ?::uuid[], ?::smallint[], ?::int[]) as u(item, run_id, shard, seq)
             cross join lateral (
                    select j.run_id, j.seq, j.task_queue, j.lease, j.state, j.attempt, j.revision, j.cancel_requested,
                           j.paused, j.visible_at, j.notes, j.operator_notes
                      from durable.activity_job j
                     where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq
                       for update) j""";

    /** Pauses or resumes: a paused job that waits leaves its queue, a resumed one goes where it would stand now. */
    static final String PAUSE = QueuePlaceSql.in("""
            update durable.activity_job j
               set paused = u.paused, revision = j.revision + 1,
                   operator_notes = durable.joined(j.operator_notes, u.note::json),
                   state = case when j.state not in ${idle} then j.state
                                when u.paused then ${PAUSED}
                                when j.visible_at > durable.clock() then ${DELAYED}
                                when j.limit_key is null then ${READY} else ${WAITING} end
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::boolean[], ?::text[])
                           as u(run_id, shard, seq, paused, note)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""");

    /** Moves the next attempt; a time that has passed becomes now. The columns of the times that stay are null. */
    static final String RESCHEDULE = QueuePlaceSql.in("""
            update durable.activity_job j
               set state = case when u.at > durable.clock() and not j.paused then ${DELAYED} else ${claimable} end,
                   visible_at = case when u.at > durable.clock() then u.at end,
                   rank = greatest(u.at, durable.clock()) - j.priority * ${ageStep},
                   scheduled_at = coalesce(u.scheduled_at, j.scheduled_at),
                   schedule_to_start_deadline = case when u.scheduled_at is null then j.schedule_to_start_deadline
                                                     else u.start_deadline end,
                   schedule_to_close_deadline = case when u.scheduled_at is null then j.schedule_to_close_deadline
                                                     else u.close_deadline end,
                   revision = j.revision + 1, operator_notes = durable.joined(j.operator_notes, u.note::json)
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::timestamptz[], ?::timestamptz[],
                                ?::timestamptz[], ?::timestamptz[], ?::text[])
                           as u(run_id, shard, seq, at, scheduled_at, start_deadline, close_deadline, note)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""");

    static final String RETRY_NOW = QueuePlaceSql.in("""
            update durable.activity_job j
               set state = ${claimable}, visible_at = null,
                   rank = durable.clock() - j.priority * ${ageStep}, revision = j.revision + 1,
                   operator_notes = durable.joined(j.operator_notes, u.note::json)
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::text[])
                           as u(run_id, shard, seq, note)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""");

    /** Puts dead letters and incidents back into their queues. Input of null keeps what is stored. */
    static final String REVIVE = QueuePlaceSql.in("""
            update durable.activity_job j
               set state = ${claimable}, buried_at = null, fingerprint = null,
                   rank = durable.clock() - j.priority * ${ageStep}, input = coalesce(u.input::json, j.input),
                   options = u.options::json, schedule_to_close_deadline = u.close_deadline,
                   max_crashes = least(2147483647::bigint, j.crashes::bigint + u.max_crashes)::integer,
                   revision = j.revision + 1, operator_notes = durable.joined(j.operator_notes, u.note::json)
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::text[], ?::text[],
                                ?::timestamptz[], ?::int[], ?::text[])
                           as u(run_id, shard, seq, input, options, close_deadline, max_crashes, note)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""");

    static final String DEADLINE = """
            update durable.activity_job j
               set deadline = u.deadline, revision = j.revision + 1,
                   operator_notes = durable.joined(j.operator_notes, u.note::json)
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::timestamptz[], ?::text[])
                           as u(run_id, shard, seq, deadline, note)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""";

    static final String OPTIONS = """
            update durable.activity_job j
               set options = u.options::json, schedule_to_start_deadline = u.start_deadline,
                   schedule_to_close_deadline = u.close_deadline,
                   max_crashes = least(2147483647::bigint, j.max_crashes::bigint + u.more_crashes)::integer,
                   revision = j.revision + 1, operator_notes = durable.joined(j.operator_notes, u.note::json)
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::text[], ?::timestamptz[],
                                ?::timestamptz[], ?::int[], ?::text[])
                           as u(run_id, shard, seq, options, start_deadline, close_deadline, more_crashes, note)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""";

    /** A heartbeat of a token's holder; its details are stored like those of workers. */
    static final String BEAT = QueuePlaceSql.in("""
            update durable.activity_job j
               set silent_until = case when j.state = ${EXTERNAL} then u.silent_until else j.silent_until end,
                   revision = case when j.state = ${EXTERNAL} then j.revision + 1 else j.revision end
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::timestamptz[])
                           as u(run_id, shard, seq, silent_until)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""");

    static final String AUDIT = """
            insert into durable.audit (id, at, actor, action, target, details)
            select u.id, durable.clock(), u.actor, u.action, u.target, u.details::json
              from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[])
                   as u(id, actor, action, target, details)""";

    /**
     * External jobs (left to token holders) that have timed out. Nothing is locked: the order that follows names the
     * state that was read.
     */
    public static final String OVERDUE = QueuePlaceSql.in("""
            select j.run_id, j.seq from durable.activity_job j
             where j.state = ${EXTERNAL}
               and least(j.deadline, j.silent_until, j.schedule_to_close_deadline) <= durable.clock()
             order by least(j.deadline, j.silent_until, j.schedule_to_close_deadline) limit ?""");
}
