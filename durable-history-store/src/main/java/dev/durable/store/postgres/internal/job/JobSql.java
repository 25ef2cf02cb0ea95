package dev.durable.store.postgres.internal.job;

import dev.durable.internal.text.Portion;
import dev.durable.store.postgres.internal.sql.PortionSql;

/** The SQL of activity jobs: updates by their lease holders, claims, and re-queueing of orphans. */
public final class JobSql {
    private JobSql() {}

    static final String MARK_CANCELLED = """
            update durable.activity_job j set cancel_requested = true
              from (select j.c from unnest(?::uuid[], ?::smallint[], ?::int[]) as u(run_id, shard, seq)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""";

    static final String DROP = """
            delete from durable.activity_job where ctid = any(array(
                select j.c from unnest(?::uuid[], ?::smallint[], ?::int[]) as u(run_id, shard, seq)
                 cross join lateral (select j.ctid as c from durable.activity_job j
                        where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j))""";

    /**
     * Locks the jobs of updates whose lease is held, in a statement of its own, so that the next one sees what the
     * transactions that held the locks have committed. All kinds of updates lock in one order, and only the job's row.
     */
    static final String LOCK_HELD = """
            select u.item, j.*
              from unnest(?::int[], ?::uuid[], ?::smallint[], ?::int[], ?::uuid[]) as u(item, run_id, shard, seq, lease)
             cross join lateral (
                    select j.run_id, j.seq, j.task_queue, j.lease, j.state,
                           j.attempt, j.cancel_requested, j.notes,
                           j.operator_notes
                      from durable.activity_job j
                     where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq and j.lease = u.lease
                       for update) j""";

    /**
     * Finds outcomes that were sent before: they wait in the inbox or stand in the history. (Here as elsewhere OFFSET 0
     * keeps an EXISTS from being turned into a hash of the whole table.)
     */
    static final String SETTLED_BEFORE = """
            select u.item from unnest(?::int[], ?::uuid[], ?::smallint[], ?::uuid[]) as u(item, run_id, shard, lease)
             where exists (select 1 from durable.inbox i
                            where i.run_id = u.run_id and i.message_id = u.lease and i.shard = u.shard offset 0)
                or exists (select 1 from durable.history_event e
                            where e.run_id = u.run_id and e.shard = u.shard and e.message_id = u.lease offset 0)""";

    /** Puts jobs back into their queues, at once or after a delay. Parameters of null keep the stored values. */
    static final String PUT_BACK = QueuePlaceSql.in("""
            update durable.activity_job j
               set state = case when j.paused then ${PAUSED} when u.delay > 0 then ${DELAYED} else ${claimable} end,
                   visible_at = case when u.delay > 0 then durable.clock() + u.delay * interval '1 ms' end,
                   rank = durable.clock() + greatest(u.delay, 0) * interval '1 ms' - j.priority * ${ageStep},
                   attempt = coalesce(u.attempt, j.attempt), notes = coalesce(u.notes::json, j.notes),
                   last_failure = coalesce(u.last_failure, j.last_failure),
                   options = case when j.options::text = u.instead_of then u.options::json else j.options end,
                   lease = null, claim = null, session = null, claimed_at = null, deadline = null, silent_until = null,
                   begun = j.begun or u.begun
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::bigint[], ?::int[], ?::text[],
                                ?::text[], ?::text[], ?::text[], ?::boolean[])
                           as u(run_id, shard, seq, delay, attempt, notes, last_failure, options, instead_of, begun)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""");

    /** Makes exhausted jobs dead letters or incidents, which no claim finds. */
    static final String BURY = """
            update durable.activity_job j
               set state = u.state, buried_at = durable.clock(), fingerprint = u.fingerprint, crashes = j.crashes + u.crash,
                   attempt = u.attempt, notes = u.notes::json, last_failure = u.last_failure,
                   options = case when j.options::text = u.instead_of then u.options::json else j.options end,
                   lease = null, claim = null, session = null, claimed_at = null, visible_at = null, deadline = null,
                   silent_until = null, begun = true
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::smallint[], ?::text[], ?::int[],
                                ?::int[], ?::text[], ?::text[], ?::text[], ?::text[])
                           as u(run_id, shard, seq, state, fingerprint, crash, attempt, notes, last_failure, options,
                                instead_of)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""";

    static final String ANNOTATE = """
            update durable.activity_job j set notes = u.notes::json
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::text[]) as u(run_id, shard, seq, notes)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""";

    /** Stores the options of an attempt before its body begins. */
    static final String SETTLE_OPTIONS = """
            update durable.activity_job j set options = u.options::json
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::text[], ?::text[])
                           as u(run_id, shard, seq, options, instead_of)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c and j.options::text = u.instead_of""";

    /** Leaves attempts whose body has returned to the holders of their tokens. */
    static final String DETACH = QueuePlaceSql.in("""
            update durable.activity_job j
               set state = ${EXTERNAL}, session = null, claim = null, notes = u.notes::json,
                   options = case when j.options::text = u.instead_of then u.options::json else j.options end,
                   deadline = case when j.revision > u.revision and j.deadline is not null then j.deadline
                                   else durable.clock() + u.left_ms * interval '1 ms' end,
                   silent_until = durable.clock() + u.silence_ms * interval '1 ms'
              from (select j.c, u.* from unnest(?::uuid[], ?::smallint[], ?::int[], ?::text[], ?::bigint[], ?::bigint[],
                                ?::int[], ?::text[], ?::text[])
                           as u(run_id, shard, seq, notes, left_ms, silence_ms, revision, options, instead_of)
                     cross join lateral (select j.ctid as c from durable.activity_job j
                            where j.run_id = u.run_id and j.shard = u.shard and j.seq = u.seq offset 0) j) u
             where j.ctid = u.c""");

    static final String HEARTBEAT = """
            insert into durable.activity_heartbeat as h (run_id, seq, shard, at, details)
            select u.run_id, u.seq, u.shard, durable.clock(), u.details::json
              from unnest(?::uuid[], ?::smallint[], ?::int[], ?::text[]) as u(run_id, shard, seq, details)
            on conflict (run_id, seq, shard) do update set details = excluded.details, at = excluded.at""";

    /**
     * The condition that leaves out some jobs, by two lists: the runs of these jobs, and their run ids with their
     * numbers as texts.
     */
    static String otherJobs() {
        return "(j.run_id <> all(?::uuid[]) or j.run_id::text || ' ' || j.seq::text <> all(?::text[]))";
    }

    private static final String CANDIDATES = "j.ctid = any(array(";

    /** The size for which a job counts in a portion. */
    private static String size() {
        return PortionSql.size("j.input") + " + " + PortionSql.size("j.headers") + " + coalesce("
                + PortionSql.size("j.notes") + ", 0) + case when j.begun then coalesce((select "
                + PortionSql.size("h.details")
                + " from durable.activity_heartbeat h where h.run_id = j.run_id and h.seq = j.seq and h.shard = j.shard), 0)"
                + " else 0 end";
    }

    /**
     * Claims ready jobs by rank, and delayed ones whose time has come, from two index scans whose first rows are
     * merged. It claims none of a queue that is paused or limited; {@link #CLAIM_LIMITED} claims of limited ones.
     */
    public static final String CLAIM = claim("""
            q.paused and (q.resume_at is null or q.resume_at > durable.clock())
                    or q.concurrency is not null or q.rate_per_second is not null or q.key_rate_per_second is not null""");

    /** Claims jobs of a queue under limits, for a caller that has locked the queue's row and keeps to its limits. */
    public static final String CLAIM_LIMITED =
            claim("q.paused and (q.resume_at is null or q.resume_at > durable.clock())");

    public static final String CLAIM_WITHOUT = without(CLAIM);

    public static final String CLAIM_LIMITED_WITHOUT = without(CLAIM_LIMITED);

    /** Finds the job that the claim would take first, with the parameters of the claim's own candidates. */
    public static String first(String claim) {
        return "select j.run_id, j.seq, j.workflow_id from durable.activity_job j where "
                + claim.substring(claim.indexOf(CANDIDATES), claim.indexOf("returning"));
    }

    /**
     * Makes a job whose claim the database refuses an incident. Nothing of the job is read but its key, as one of its
     * values may be the reason of the refusal.
     */
    public static final String SET_ASIDE = QueuePlaceSql.in("""
            update durable.activity_job j
               set state = ${INCIDENT}, buried_at = durable.clock(), fingerprint = ?, last_failure = ?, visible_at = null
             where j.run_id = ? and j.shard = ? and j.seq = ? and j.state in (${READY}, ${DELAYED})""");

    /** Does to one job what the claim does, whatever its rank. */
    public static final String CLAIM_ONE = CLAIM.substring(0, CLAIM.indexOf("where exists"))
            + QueuePlaceSql.in(
                    "where j.run_id = ? and j.shard = ? and j.seq = ? and j.state in (${READY}, ${DELAYED})");

    /** Leaves out some jobs. The runs are compared first, as that is cheap and nearly always enough. */
    private static String without(String claim) {
        String activities = "j.activity = any(?::text[])";
        return claim.replace(activities, activities + " and " + otherJobs());
    }

    private static String claim(String closed) {
        return QueuePlaceSql.in("""
            update durable.activity_job j
               set state = ${RUNNING}, lease = gen_random_uuid(), claim = ?, session = ?, claimed_at = durable.clock(),
                   visible_at = null, revision = 0, notes = durable.joined(j.notes, j.operator_notes),
                   operator_notes = null
             where exists (select 1 from durable.session s where s.id = ? and not s.dead)
               and not exists (select 1 from durable.queue q where q.task_queue = ? and (%s))
               and j.ctid = any(array(
                select p.ctid from (select c.ctid, sum(c.size) over (order by c.rank rows unbounded preceding) - c.size as before
                  from (
                    select r.* from (select j.ctid, j.rank, ${size} as size from durable.activity_job j
                      where j.task_queue = ? and j.state = ${READY} and j.activity = any(?::text[]) and %s
                        and j.rank >= ?::timestamptz
                      order by j.rank limit ? for no key update skip locked) r
                    union all
                    select d.* from (select j.ctid, j.rank, ${size} from durable.activity_job j
                      where j.task_queue = ? and j.state = ${DELAYED} and j.activity = any(?::text[]) and %s
                        and j.limit_key is null and j.visible_at <= durable.clock()
                      order by j.visible_at limit ? for no key update skip locked) d) c
                 order by c.rank limit ?) p where p.before < ${portion}))
            returning j.run_id, j.seq, j.workflow_id, j.activity, j.task_queue, j.workflow_type, j.lease, j.attempt,
                      j.crashes, j.input, j.options, j.headers, j.scheduled_at, j.schedule_to_start_deadline,
                      j.schedule_to_close_deadline, j.notes, j.rank, j.begun, j.limit_key, j.claimed_at""")
                .formatted(closed, QueuePlaceSql.NOT_PAUSED, QueuePlaceSql.NOT_PAUSED)
                .replace("${size}", size())
                .replace("${portion}", String.valueOf(Portion.BYTES));
    }

    /** Reads the heartbeat details of jobs that this session holds, which no other process writes any more. */
    static final String DETAILS = """
            select h.run_id, h.seq, h.details from unnest(?::uuid[], ?::smallint[], ?::int[]) as u(run_id, shard, seq)
             cross join lateral (select h.run_id, h.seq, h.details from durable.activity_heartbeat h
                    where h.run_id = u.run_id and h.seq = u.seq and h.shard = u.shard offset 0) h""";

    /** The condition of {@link #LOCK_OVERDUE} that no worker runs a job. */
    public static String isIdle() {
        return QueuePlaceSql.in("j.state in ${idle}");
    }

    /**
     * Locks jobs that no worker runs and that have timed out; rows that are locked are left for the next pass. The
     * index has this expression.
     */
    public static final String LOCK_OVERDUE = QueuePlaceSql.in("""
            select j.workflow_id, j.run_id, j.seq, j.task_queue, j.lease, j.state, j.attempt, j.cancel_requested, j.notes,
                   j.operator_notes, j.options, case when not j.begun then j.schedule_to_start_deadline end as to_start,
                   coalesce(j.schedule_to_close_deadline <= durable.clock(), false) as to_close
              from durable.activity_job j
             where j.state in ${idle}
               and least(j.schedule_to_close_deadline,
                         case when not j.begun then j.schedule_to_start_deadline end)
                   <= durable.clock()
             order by least(j.schedule_to_close_deadline,
                            case when not j.begun then j.schedule_to_start_deadline end)
             limit ? for update skip locked""");
}
