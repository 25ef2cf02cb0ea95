package dev.durable.store.postgres.internal.run;

import dev.durable.store.JobStart;
import dev.durable.store.postgres.internal.sql.PortionSql;

/** The SQL of the claim of runs, which never waits for a lock. */
public final class ClaimSql {
    private ClaimSql() {}

    /** The condition on the state of a run that is due, or has messages, under which a process may claim it. */
    private static final String CLAIMABLE = """
            (s.owned_until is null or s.owned_until <= durable.clock()
                                or s.fence = any(?::uuid[])
                                or s.owned_until > durable.clock() + 2 * ? * interval '1 ms'
                                or coalesce((
                                        select d.dead from durable.session d where d.id = s.last_session), true))
                           and (s.not_before is null or s.not_before <= durable.clock()
                                or (select d.build from durable.session d where d.id = ?) <> all(s.stalled_builds))
                           and s.type = any(?::text[]) and not s.paused""";

    /**
     * Candidates are runs whose time has come, in order, and runs with messages, found by skipping from run to run in
     * the inbox index (a run with 20,000 messages costs one probe) from where the last scan ended. They are locked by
     * key, NO KEY UPDATE so that runs that are being signalled are not skipped. A run counts as not owned if it stands
     * under the fence of a claim whose answer was lost, if its owned_until is so far ahead that a clock must have been
     * set back, or if its session is not alive; and a session that is not alive claims nothing. The back-off of a stall
     * holds back the builds that have stalled since the run went on, all others may claim the run at once; where no
     * build is recorded, as the stalling process named none, it holds back all. A pinned run is claimed by its build
     * alone, and found by an index of its own. For 100 ms a due run is left to the living session that has it cached;
     * one row says for how long that still holds for runs that were not claimed, another when a parked run of these
     * queues is due next. The ids of the claimed runs stay with the transaction, for the reads that follow.
     */
    static final String RUNS = claim(false, "");

    /** The claim of a process whose build, or that of others, has a ramp. */
    static final String SHARED_RUNS = claim(true, share("s.wake_at"));

    /** The claim of a process whose build has no share: of unpinned runs that are due, it looks for background jobs alone. */
    static final String NO_RUNS = claim(true, "s.type = '" + JobStart.TYPE + "'");

    private static String claim(boolean isShared, String share) {
        return """
            with recursive due as (
                ${due}
                union all
                ${due_and_pinned}),
            box as (
                select q.task_queue, i.run_id, i.shard, i.at
                  from unnest(?::text[], ?::uuid[]) as q(task_queue, start)
                 cross join lateral (
                        select i.run_id, i.shard, i.at from durable.inbox i
                         where i.task_queue = q.task_queue and i.wakes and i.run_id > q.start
                         order by i.run_id limit 1) i
                union all
                select b.task_queue, i.run_id, i.shard, i.at
                  from box b
                 cross join lateral (
                        select i.run_id, i.shard, i.at from durable.inbox i
                         where i.task_queue = b.task_queue and i.wakes and i.run_id > b.run_id
                         order by i.run_id limit 1) i),
            seen as materialized (select b.* from box b limit ?),
            candidate as materialized (
                select c.run_id, c.shard, min(c.since) as since
                  from (select d.run_id, d.shard, d.since from due d
                        union all select b.run_id, b.shard, b.at from seen b) c
                 where (select not d.dead from durable.session d where d.id = ?)
                 group by c.run_id, c.shard order by min(c.since)),
            mine as materialized (
                select c.run_id, s.c, s.fence, s.wake_at, s.last_session from candidate c
                 cross join lateral (
                        select s.ctid as c, s.fence, s.wake_at, s.last_session from durable.run_state s
                         where s.run_id = c.run_id and +s.shard = c.shard
                           and ${claimable}
                           and (s.pinned_to is null
                                or s.pinned_to = (select d.build from durable.session d where d.id = ?))${shared}
                           and (s.last_session is null or s.last_session = ?
                                or c.since <= durable.clock() - interval '100 ms' or coalesce((
                                        select d.dead from durable.session d where d.id = s.last_session), true))
                           for no key update skip locked) s
                 limit ?),
            claimed as (
                update durable.run_state s
                   set fence = ?, owned_until = durable.clock() + ? * interval '1 ms', last_session = ?
                  from mine m where s.ctid = m.c
                returning s.run_id, s.workflow_id, s.type, s.task_queue, s.fence, m.fence as previous_fence,
                          s.next_event_id, s.wake_at, s.closing, s.stalls, s.build, s.shard, m.last_session),
            kept as materialized (
                select set_config('durable_claim.runs', json_agg(json_build_object('run_id', k.run_id, 'shard', k.shard,
                                  'unread', k.stranger and k.events <= ?))::text, true)
                  from (select c.run_id, c.shard, c.stranger, sum(c.next_event_id) filter (where c.stranger) over (
                                    order by c.run_id) as events
                          from (select c.*, c.last_session is distinct from ? and c.next_event_id <= ? as stranger
                                  from claimed c) c) k)
            select c.run_id, c.workflow_id, c.type, c.task_queue, c.fence, c.previous_fence, c.next_event_id, c.wake_at,
                   c.closing, c.stalls, c.build, null::text as scanned_queue, 0 as scanned, null::bigint as retry_in,
                   null::timestamptz as next_due
              from claimed c
             cross join kept
            union all
            select null, null, null, null, null, null, null, null, null, null, null, null, 0, l.retry_in, null from (
                select ceil(extract(epoch from min(c.since) + interval '100 ms' - durable.clock()) * 1000)::bigint as retry_in
                  from candidate c
                 where (select count(*) from mine) < ? and c.since > durable.clock() - interval '100 ms'
                   and not exists (select 1 from mine m where m.run_id = c.run_id)) l
             where l.retry_in is not null
            union all
            select null, null, null, null, null, null, null, null, null, null, null, null, 0, null, n.due from (
                select min(p.due) as due from unnest(?::text[]) as q(task_queue)
                 cross join lateral (
                        (select s.wake_at as due from durable.run_state s
                         where s.task_queue = q.task_queue and s.wake_at > durable.clock() and s.owned_until is null
                           and (s.not_before is null or s.not_before <= s.wake_at) and not s.paused
                           and s.pinned_to is null
                         order by s.wake_at limit 1)
                        union all
                        (select s.wake_at as due from durable.run_state s
                         where s.task_queue = q.task_queue and s.wake_at > durable.clock() and s.owned_until is null
                           and (s.not_before is null or s.not_before <= s.wake_at) and not s.paused
                           and s.pinned_to = (select d.build from durable.session d where d.id = ?)
                         order by s.wake_at limit 1)) p) n
             where n.due is not null
            union all
            select s.run_id, null, null, null, null, null, null, null, null, null, null, s.task_queue, s.scanned, null, null from (
                select s.task_queue, max(s.run_id::text)::uuid as run_id, (select count(*)::int from seen) as scanned
                  from seen s group by s.task_queue) s${let_go}""".replace("${due}", due("s.pinned_to is null" + (isShared ? " and " + share : "")))
                .replace(
                        "${due_and_pinned}",
                        due("s.pinned_to = (select d.build from durable.session d where d.id = ?)"))
                .replace("${claimable}", CLAIMABLE)
                .replace("${let_go}", isShared ? letGo() : "")
                .replace("${shared}", isShared ? " and (s.pinned_to is not null or " + share("c.since") + ")" : "");
    }

    /**
     * The condition that a run is in the share of the claiming process, or has waited for those that it belongs to. Background
     * jobs have no workflow code, so that no ramp concerns them.
     */
    private static String share(String since) {
        return """
                (s.type = '${job}' or exists (
                                        select 1 from unnest(?::text[], ?::smallint[], ?::smallint[], ?::boolean[])
                                                      as r(task_queue, low, high, strict)
                                         where r.task_queue = s.task_queue
                                           and (s.shard >= r.low and s.shard < r.high
                                                or not r.strict and ${since} <= durable.clock() - interval '5 s')))""".replace("${job}", JobStart.TYPE).replace("${since}", since);
    }

    /**
     * When the runs of other shares that have waited for less than five seconds may be claimed. It reads the due runs of
     * these seconds at most, so that neither owned runs nor runs of types that the claimer lacks are found again and again.
     */
    private static String letGo() {
        return """

            union all
            select null, null, null, null, null, null, null, null, null, null, null, null, 0, l.retry_in, null from (
                select ceil(extract(epoch from min(o.since) + interval '5 s' - durable.clock()) * 1000)::bigint as retry_in
                  from (select d.since
                          from unnest(?::text[], ?::smallint[], ?::smallint[], ?::boolean[])
                               as r(task_queue, low, high, strict)
                         cross join lateral (
                                select s.wake_at as since from durable.run_state s
                                 where s.task_queue = r.task_queue and s.wake_at <= durable.clock()
                                   and s.wake_at > durable.clock() - interval '5 s' and s.pinned_to is null
                                   and (s.shard < r.low or s.shard >= r.high) and s.type <> '${job}'
                                   and s.owned_until is null and not s.paused
                                 order by s.wake_at limit 1) d
                         where not r.strict
                        union all
                        select c.since from candidate c
                         where c.since <= durable.clock() and c.since > durable.clock() - interval '5 s'
                           and false = any(?::boolean[])
                           and not exists (select 1 from mine m where m.run_id = c.run_id)) o) l
             where l.retry_in is not null""".replace("${job}", JobStart.TYPE);
    }

    private static String due(String pin) {
        return """
                select d.run_id, d.shard, d.wake_at as since
                  from unnest(?::text[]) as q(task_queue)
                 cross join lateral (
                        select s.run_id, s.shard, s.wake_at from durable.run_state s
                         where s.task_queue = q.task_queue and s.wake_at <= durable.clock() and ${pin}
                           and ${claimable}
                         order by s.wake_at limit ?) d""".replace("${pin}", pin);
    }

    /** Finds the run that the claim would take first, by the claim's own candidates. */
    static final String FIRST = first(RUNS);

    static final String FIRST_SHARED = first(SHARED_RUNS);

    static final String FIRST_OF_NO_RUNS = first(NO_RUNS);

    private static String first(String claim) {
        return claim.substring(0, claim.lastIndexOf(',', claim.indexOf("claimed as (")))
                + " select m.run_id from mine m";
    }

    private static final String OF_TYPES = "s.type = any(?::text[])";
    /** All types but Durable's own that are not listed. */
    private static final String OF_ANY_TYPE = "(" + OF_TYPES + " or s.type !~ '^durable[.]')";

    /** The claim of a worker with a workflow of any type. */
    static final String RUNS_OF_ANY_TYPE = RUNS.replace(OF_TYPES, OF_ANY_TYPE);

    static final String FIRST_OF_ANY_TYPE = FIRST.replace(OF_TYPES, OF_ANY_TYPE);

    static final String SHARED_RUNS_OF_ANY_TYPE = SHARED_RUNS.replace(OF_TYPES, OF_ANY_TYPE);

    static final String FIRST_SHARED_OF_ANY_TYPE = FIRST_SHARED.replace(OF_TYPES, OF_ANY_TYPE);

    static final String NO_RUNS_OF_ANY_TYPE = NO_RUNS.replace(OF_TYPES, OF_ANY_TYPE);

    static final String FIRST_OF_NO_RUNS_OF_ANY_TYPE = FIRST_OF_NO_RUNS.replace(OF_TYPES, OF_ANY_TYPE);

    static String without(String claim) {
        String types = claim.contains(OF_ANY_TYPE) ? OF_ANY_TYPE : OF_TYPES;
        return claim.replace(types, types + " and s.run_id <> all(?::uuid[])");
    }

    /**
     * The messages that wait for the runs just claimed, read by a later statement of that transaction, with a snapshot
     * that is taken under the locks.
     */
    static final String MESSAGES = ReadSql.MESSAGES.replace(
            "unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)",
            "json_to_recordset(nullif(current_setting('durable_claim.runs', true), '')::json)"
                    + " as u(run_id uuid, shard smallint)");

    /** The short histories of those that another session claimed last, or no session; as many as make a page. */
    static final String HISTORIES =
            PortionSql.portion("run_id, event_id, type, at, message_id, attributes", "attributes", """
            select u.run_id, e.event_id, e.type, e.at, e.message_id, e.attributes
              from json_to_recordset(nullif(current_setting('durable_claim.runs', true), '')::json)
                   as u(run_id uuid, shard smallint, unread boolean)
             cross join lateral (
                    select e.event_id, e.type, e.at, e.message_id, e.attributes from durable.history_event e
                     where u.unread and e.run_id = u.run_id and e.shard = u.shard order by e.event_id) e""");
}
