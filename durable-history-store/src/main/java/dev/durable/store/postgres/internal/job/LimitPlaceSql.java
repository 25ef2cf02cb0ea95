package dev.durable.store.postgres.internal.job;

import dev.durable.store.JobUpdate;

/** The SQL of places under limits that are kept for bodies which may still run although their jobs have gone. */
public final class LimitPlaceSql {
    private static final String INSERT =
            "insert into durable.kept_place (lease, session, task_queue, limit_key, kept_until)\n"
                    + "select g.lease, g.session, g.task_queue, g.limit_key, durable.clock() + interval '"
                    + JobUpdate.PLACE_KEPT.toSeconds() + " s'";

    /** Only jobs under a limit need a place. */
    private static final String LIMITED = """
            (g.limit_key is not null
                or exists (select 1 from durable.queue q
                            where q.task_queue = g.task_queue and q.concurrency is not null offset 0))""";

    /** The condition that a place {@code k} still counts. */
    private static final String COUNTS = """
            k.kept_until > durable.clock()
                and exists (select 1 from durable.session s where s.id = k.session and not s.dead offset 0)""";

    private LimitPlaceSql() {}

    /**
     * Keeps the places of running jobs, locked by this transaction, that are about to be taken from their workers or
     * given up by them.
     */
    static final String KEEP = QueuePlaceSql.in(INSERT + """

              from unnest(?::uuid[], ?::smallint[], ?::int[]) as u(run_id, shard, seq)
             cross join lateral (
                    select j.lease, j.session, j.task_queue, j.limit_key from durable.activity_job j
                     where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq and j.state = ${RUNNING} offset 0) g
             where\s""" + LIMITED + " on conflict (lease) do nothing");

    static final String FREE = "delete from durable.kept_place where lease = any(?::uuid[])";

    /** Frees the places of a session that is closed. */
    public static final String FREE_ALL_OF = "delete from durable.kept_place where session = ?";

    /** Deletes the places of sessions that are dead or gone, which no longer count. */
    public static final String FORGET = """
            delete from durable.kept_place k
             where not exists (select 1 from durable.session s where s.id = k.session and not s.dead offset 0)""";

    /**
     * Keeps the places of the jobs that a statement has deleted and returns as {@code ended}, except for leases whose
     * bodies are known to have ended. These leases are a subquery, which is hashed: a comparison with an array would be
     * made element by element for each job.
     */
    public static final String KEEP_ENDED =
            INSERT + " from ended g where g.session is not null and g.lease not in (select unnest(?::uuid[])) and "
                    + LIMITED + " on conflict (lease) do nothing";

    /** The expression that counts the kept places of a queue. */
    public static String inQueue(String taskQueue) {
        return "(select count(*) from durable.kept_place k where k.task_queue = " + taskQueue + " and " + COUNTS + ")";
    }

    /** The expression that counts the kept places of a limit key. */
    public static String ofKey(String taskQueue, String limitKey) {
        return "(select count(*) from durable.kept_place k where k.task_queue = " + taskQueue + " and k.limit_key = "
                + limitKey + " and " + COUNTS + ")";
    }
}
