package dev.durable.store.postgres.internal.run;

import dev.durable.store.JobStart;

/**
 * The SQL that writes new runs and finds the runs that stand in their way: other runs of the same workflow id, and the
 * same start sent before. Rows are inserted first and judged in the next statement, because judging first would accept
 * a duplicate of a run that closes meanwhile.
 */
public final class StartSql {
    /**
     * Finds the name of the activity in the attributes of a background job's first event, as the trigger {@code
     * note_run} of the schema does. Inside of another text a quote is escaped, so only the name itself matches. The
     * server must find it, to compare it for many runs; in Java it is {@link JobStart#activity}.
     */
    public static final String ACTIVITY_OF_JOB = "\"input\"\\s*:\\s*\\[\\s*\"([^\"\\\\]*)\"";

    private StartSql() {}

    /** By (shard, workflow id). No conflict target: the run id may be known as well as the workflow id. */
    static final String STATES = """
            insert into durable.run_state (run_id, shard, workflow_id, type, task_queue, fence, next_event_id, wake_at,
                   deadline, expires_at)
            select u.run_id, u.shard, u.workflow_id, u.type, u.task_queue, u.fence, u.next_event_id,
                   case when u.due then durable.clock() + u.delay * interval '1 ms' else u.wake_at end,
                   u.deadline, u.expires_at
              from unnest(?::uuid[], ?::smallint[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::bigint[],
                          ?::boolean[], ?::bigint[], ?::timestamptz[], ?::timestamptz[], ?::timestamptz[])
                   as u(run_id, shard, workflow_id, type, task_queue, fence, next_event_id, due, delay, wake_at,
                        deadline, expires_at)
             where not exists (select 1 from durable.workflow_run w where w.run_id = u.run_id and +w.shard = u.shard)
            on conflict do nothing
            returning run_id""";

    private static final String ALL_NEW = "select durable.must((select count(*) from x) = ?, 'open or resent')";

    /** New ones whose run stands there already: the answer to their first send was lost, and they closed meanwhile. */
    static final String DROP_RESENT = """
            delete from durable.run_state where ctid = any(array(
                select s.c from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
                 cross join lateral (select s.ctid as c from durable.run_state s
                        where s.run_id = u.run_id and +s.shard = u.shard offset 0) s
                 where exists (select 1 from durable.workflow_run w
                        where w.run_id = u.run_id and +w.shard = u.shard offset 0)))
            returning run_id""";

    /** The latest run of each workflow id, closed as ours is not written yet: what a reuse policy is judged by. */
    static final String LATEST = """
            select u.run_id, w.run_id as latest, w.status, exists (select 1 from durable.batch_job b
                            where b.batch = u.batch and b.number = u.number and b.shard = u.shard
                              and b.run_id = w.run_id offset 0) as same_place
              from unnest(?::uuid[], ?::smallint[], ?::text[], ?::text[], ?::int[])
                   as u(run_id, shard, workflow_id, batch, number)
             cross join lateral (select w.run_id, w.status from durable.workflow_run w
                    where w.workflow_id = u.workflow_id and +w.shard = u.shard
                    order by w.started_at desc limit 1) w""";

    static final String DROP_REFUSED = """
            delete from durable.run_state s where s.run_id = any(?::uuid[]) and +s.shard = any(?::smallint[])""";

    static final String RUNS = """
            insert into durable.workflow_run (run_id, shard, workflow_id, type, task_queue, status, started_at, memo)
            select u.run_id, u.shard, u.workflow_id, u.type, u.task_queue, 'RUNNING', durable.clock(), u.memo::json
              from unnest(?::uuid[], ?::smallint[], ?::text[], ?::text[], ?::text[], ?::text[])
                   as u(run_id, shard, workflow_id, type, task_queue, memo)""";

    /**
     * Who is in the way of those that were not inserted. Those that are to be told something are locked, in the order of
     * all others: until this transaction ends they do not close.
     */
    static final String IN_THE_WAY = """
            select u.run_id, coalesce(l.run_id, s.run_id) as open, coalesce(l.type, s.type) as type,
                   case when coalesce(l.type, s.type) = ${job} then (
                            select substring(e.attributes::text from '${activity}') from durable.history_event e
                             where e.run_id = coalesce(l.run_id, s.run_id) and e.event_id = 1 and e.shard = u.shard)
                        end as activity,
                   exists (select 1 from durable.batch_job b
                            where b.batch = u.batch and b.number = u.number and b.shard = u.shard
                              and b.run_id = coalesce(l.run_id, s.run_id) offset 0) as same_place,
                   exists (select 1 from durable.workflow_run w
                            where w.run_id = u.run_id and +w.shard = u.shard offset 0) as resent
              from unnest(?::uuid[], ?::smallint[], ?::text[], ?::boolean[], ?::text[], ?::int[])
                   as u(run_id, shard, workflow_id, tells, batch, number)
              left join lateral (select s.run_id, s.type from durable.run_state s
                    where u.tells and s.workflow_id = u.workflow_id and +s.shard = u.shard for key share) l on true
              left join lateral (select s.run_id, s.type from durable.run_state s
                    where not u.tells and s.workflow_id = u.workflow_id and +s.shard = u.shard) s on true"""
            // In two parts: whatever begins with the name of the schema and a dot is pointed at the one that is
            // configured.
            .replace("${job}", "'" + JobStart.TYPE.replace(".", "' || '.") + "'")
            .replace("${activity}", ACTIVITY_OF_JOB);

    /**
     * Runs that took the message of a start before and have closed since: the answer to its first send was lost. Only what
     * closed after the start was made can have it, give or take the clocks of two machines. To be asked when no other run
     * of the workflow id can open, close or take it any more.
     */
    static final String TAKEN_BEFORE = """
            select u.run_id, t.run_id as taker, t.type
              from unnest(?::uuid[], ?::smallint[], ?::text[], ?::uuid[], ?::timestamptz[])
                   as u(run_id, shard, workflow_id, message_id, made_at)
             cross join lateral (
                    select w.run_id, w.type
                      from (select w.run_id, w.type, w.shard, w.closed_at from durable.workflow_run w
                             where w.workflow_id = u.workflow_id and +w.shard = u.shard
                             order by w.started_at desc limit 100) w
                     where w.closed_at >= u.made_at - interval '10 s'
                       and exists (select 1 from durable.history_event e
                            where e.run_id = w.run_id and e.shard = w.shard and e.message_id = u.message_id offset 0)
                     limit 1) t""";

    /** All of a batch are new, with nobody open and nothing a resend; then everything is written, or nothing. */
    static final String START = "with x as (" + STATES + "),\nruns as (" + RUNS + "),\nappended as ("
            + TransitionSql.EVENTS + ")\n" + ALL_NEW;

    static final String START_AND_BEAR = startAndBear(TransitionSql.JOBS);

    static final String START_AND_BEAR_APART = startAndBear(TransitionSql.JOBS_APART);

    private static String startAndBear(String jobs) {
        return "with x as (" + STATES + "),\nruns as (" + RUNS + "),\nappended as (" + TransitionSql.EVENTS
                + "),\nborn as (" + jobs + ")\n" + ALL_NEW;
    }
}
