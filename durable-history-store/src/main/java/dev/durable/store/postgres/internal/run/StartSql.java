package dev.durable.store.postgres.internal.run;

import dev.durable.store.JobStart;

/**
 * The SQL that writes new runs and finds the runs that prevent a start: other runs of the workflow id, and the run of
 * an earlier send of the start. Rows are inserted first and judged in the next statement, because judging first would
 * accept a duplicate of a run that closes meanwhile.
 */
public final class StartSql {
    /**
     * Finds the name of the activity in the attributes of a background job's first event, as the trigger {@code
     * note_run} of the schema does. Inside of another text a quote is escaped, so only the name itself matches. The
     * server must find it, to compare it for many runs; in Java it is {@link JobStart#activity}.
     */
    public static final String ACTIVITY_OF_JOB = "\"input\"\\s*:\\s*\\[\\s*\"([^\"\\\\]*)\"";

    private StartSql() {}

    /**
     * Inserts open runs by (shard, workflow id). It names no conflict target, as both the run id and the workflow id
     * may be known.
     */
    static final String STATES = states("", "", "");

    /** As {@link #STATES}, where builds have made first turns. */
    static final String STATES_OF_BUILDS =
            states(", build, pinned_to", ", u.build, u.pinned_to", ", ?::text[], ?::text[]");

    /** As {@link #STATES}, for children. */
    static final String STATES_OF_CHILDREN = states(
            ", parent_chain, root_chain, parent_policy",
            ", u.parent_chain, u.root_chain, u.parent_policy",
            ", ?::uuid[], ?::uuid[], ?::smallint[]");

    private static String states(String columns, String values, String arrays) {
        return """
            insert into durable.run_state (run_id, shard, workflow_id, type, task_queue, fence, next_event_id, wake_at,
                   deadline, expires_at%1$s)
            select u.run_id, u.shard, u.workflow_id, u.type, u.task_queue, u.fence, u.next_event_id,
                   case when u.due then durable.clock() + u.delay * interval '1 ms' else u.wake_at end,
                   u.deadline, u.expires_at%2$s
              from unnest(?::uuid[], ?::smallint[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::bigint[],
                          ?::boolean[], ?::bigint[], ?::timestamptz[], ?::timestamptz[], ?::timestamptz[]%3$s)
                   as u(run_id, shard, workflow_id, type, task_queue, fence, next_event_id, due, delay, wake_at,
                        deadline, expires_at%1$s)
             where not exists (select 1 from durable.workflow_run w where w.run_id = u.run_id and +w.shard = u.shard)
            on conflict do nothing
            returning run_id""".formatted(columns, values, arrays);
    }

    private static final String ALL_NEW = "select durable.must((select count(*) from x) = ?, 'open or resent')";

    /** Deletes new rows of runs that exist: the answer to the first send was lost, and they have closed meanwhile. */
    static final String DROP_RESENT = """
            delete from durable.run_state where ctid = any(array(
                select s.c from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
                 cross join lateral (select s.ctid as c from durable.run_state s
                        where s.run_id = u.run_id and +s.shard = u.shard offset 0) s
                 where exists (select 1 from durable.workflow_run w
                        where w.run_id = u.run_id and +w.shard = u.shard offset 0)))
            returning run_id""";

    /**
     * The latest closed run of each workflow id, by which a reuse policy is judged; the new run's own row is not
     * written yet.
     */
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

    static final String RUNS = runs("", "", "");

    /** As {@link #RUNS}, for children. */
    static final String RUNS_OF_CHILDREN = runs(
            ", parent_workflow_id, parent_chain, parent_number, root_chain",
            ", u.parent_workflow_id, u.parent_chain, u.parent_number, u.root_chain",
            ", ?::text[], ?::uuid[], ?::bigint[], ?::uuid[]");

    private static String runs(String columns, String values, String arrays) {
        return """
            insert into durable.workflow_run (run_id, shard, workflow_id, type, task_queue, status, started_at, memo%1$s)
            select u.run_id, u.shard, u.workflow_id, u.type, u.task_queue, 'RUNNING', durable.clock(), u.memo::json%2$s
              from unnest(?::uuid[], ?::smallint[], ?::text[], ?::text[], ?::text[], ?::text[]%3$s)
                   as u(run_id, shard, workflow_id, type, task_queue, memo%1$s)""".formatted(columns, values, arrays);
    }

    /**
     * Finds the runs that prevent the starts that were not inserted. Runs that are to get a message are locked, in the
     * order of all other locks, so that they do not close until this transaction ends.
     */
    static final String IN_THE_WAY = """
            select u.run_id, coalesce(l.chain_id, l.run_id, s.chain_id, s.run_id) as open, coalesce(l.type, s.type) as type,
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
              left join lateral (select s.run_id, s.chain_id, s.type from durable.run_state s
                    where u.tells and s.workflow_id = u.workflow_id and +s.shard = u.shard for key share) l on true
              left join lateral (select s.run_id, s.chain_id, s.type from durable.run_state s
                    where not u.tells and s.workflow_id = u.workflow_id and +s.shard = u.shard) s on true"""
            // In two parts, because a name that begins with the schema's name and a dot is replaced by one in the
            // configured schema.
            .replace("${job}", "'" + JobStart.TYPE.replace(".", "' || '.") + "'")
            .replace("${activity}", ACTIVITY_OF_JOB);

    /**
     * Runs that took the message of a start before: the answer to its first send was lost. Such a run has closed since
     * with the message in its history, or its chain has rejected the message, which leaves a reply and no event; an open
     * run drops by itself what its history has. Only a run that was open after the start was made can have taken the
     * message, up to the difference of two machines' clocks. The statement is run when no other run of the workflow id
     * can open, close or take the message any more.
     */
    static final String TAKEN_BEFORE = """
            select u.run_id, coalesce(t.chain_id, t.run_id) as taker, t.type
              from unnest(?::uuid[], ?::smallint[], ?::text[], ?::uuid[], ?::timestamptz[])
                   as u(run_id, shard, workflow_id, message_id, made_at)
             cross join lateral (
                    select w.run_id, w.chain_id, w.type
                      from (select w.run_id, w.chain_id, w.type, w.shard, w.closed_at from durable.workflow_run w
                             where w.workflow_id = u.workflow_id and +w.shard = u.shard
                             order by w.started_at desc limit 100) w
                     where (w.closed_at is null or w.closed_at >= u.made_at - interval '10 s')
                       and (exists (select 1 from durable.reply r
                                where r.run_id = coalesce(w.chain_id, w.run_id) and r.reply_id = u.message_id
                                  and r.shard = w.shard offset 0)
                            or w.closed_at is not null and exists (select 1 from durable.history_event e
                                where e.run_id = w.run_id and e.shard = w.shard and e.message_id = u.message_id offset 0))
                     limit 1) t""";

    /**
     * Locks the open runs of parents, in lock order, so that they do not close before their children are started. A run
     * that is locked is left out: it closes, and to wait for it here, behind inserts that others wait for, could be a
     * deadlock.
     */
    static final String LOCK_PARENTS = """
            select u.parent, s.run_id from unnest(?::text[], ?::smallint[], ?::uuid[])
                   with ordinality as u(workflow_id, shard, chain, parent)
             cross join lateral (select s.run_id from durable.run_state s
                    where s.workflow_id = u.workflow_id and +s.shard = u.shard and u.chain in (s.run_id, s.chain_id)
                    for key share skip locked) s""";

    /** The parents that are open, locked or not, read after {@link #LOCK_PARENTS}. */
    static final String OPEN_PARENTS = """
            select u.parent from unnest(?::text[], ?::smallint[], ?::uuid[])
                   with ordinality as u(workflow_id, shard, chain, parent)
             where exists (select 1 from durable.run_state s
                    where s.workflow_id = u.workflow_id and +s.shard = u.shard and u.chain in (s.run_id, s.chain_id) offset 0)""";

    /** Writes a batch if all starts are new, with no run open and none a resend; else it writes nothing. */
    static final String START = start(STATES);

    /** As {@link #START}, where builds have made first turns. */
    static final String START_OF_BUILDS = start(STATES_OF_BUILDS);

    static final String START_AND_BEAR = startAndBear(STATES, TransitionSql.JOBS);

    static final String START_AND_BEAR_OF_BUILDS = startAndBear(STATES_OF_BUILDS, TransitionSql.JOBS);

    static final String START_AND_BEAR_APART = startAndBear(STATES, TransitionSql.JOBS_APART);

    static final String START_AND_BEAR_APART_OF_BUILDS = startAndBear(STATES_OF_BUILDS, TransitionSql.JOBS_APART);

    private static String start(String states) {
        return "with x as (" + states + "),\nruns as (" + RUNS + "),\nappended as (" + TransitionSql.EVENTS + ")\n"
                + ALL_NEW;
    }

    private static String startAndBear(String states, String jobs) {
        return "with x as (" + states + "),\nruns as (" + RUNS + "),\nappended as (" + TransitionSql.EVENTS
                + "),\nborn as (" + jobs + ")\n" + ALL_NEW;
    }
}
