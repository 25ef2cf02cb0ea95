package dev.durable.store.postgres.internal.message;

/** The SQL of delivering messages to runs. */
public final class MessageSql {
    private MessageSql() {}

    /**
     * Inserts messages that the store's own transactions send; their runs are known to be open. Those that an attempt
     * hands on to the next have the time at which they were accepted.
     */
    static final String MESSAGES = """
            insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload, notes)
            select u.run_id, u.message_id, coalesce(u.at, durable.clock()), u.ord, u.kind, u.shard, true, s.task_queue,
                   u.name, u.payload::json, u.notes::json
              from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::timestamptz[], ?::int[], ?::smallint[], ?::text[],
                          ?::text[], ?::text[])
                   as u(run_id, shard, message_id, at, ord, kind, name, payload, notes)
             cross join lateral (select s.task_queue from durable.run_state s
                    where s.run_id = u.run_id and +s.shard = u.shard offset 0) s
            on conflict do nothing
            returning task_queue""";

    /** Inserts messages into the outbox that the code of runs sends, with the transition that records the request. */
    static final String SEND = """
            insert into durable.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, source_workflow_id,
                   name, payload)
            select u.run_id, u.event_id, u.chain, durable.clock(), u.kind, u.shard, u.target_workflow_id, u.source_workflow_id,
                   u.name, u.payload::json
              from unnest(?::uuid[], ?::bigint[], ?::uuid[], ?::smallint[], ?::smallint[], ?::text[], ?::text[], ?::text[],
                          ?::text[])
                   as u(run_id, event_id, chain, kind, shard, target_workflow_id, source_workflow_id, name, payload)""";

    /** Notes that code of these runs has asked for children, so that their end writes the order to end those. */
    static final String MARK_PARENTS = """
            update durable.workflow_run set has_children = true where ctid = any(array(
                select w.c from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
                 cross join lateral (select w.ctid as c from durable.workflow_run w
                        where w.run_id = u.run_id and +w.shard = u.shard and w.has_children is null offset 0) w))""";

    /**
     * Locks each target once, in order of (shard, workflow id), and inserts from what was locked. KEY SHARE lets the
     * holder of the run go on and holds off its close. Conditions that need a later snapshot are not tested here: a
     * target that is not found is looked up again in a statement of its own. Messages name their target by its index in
     * an array, as joining them would be quadratic. Waiting messages are counted, and their bytes are summed as they
     * are stored, which decompresses nothing; messages of this batch are counted with them, but their bytes are not.
     * Outcomes of children are neither counted nor refused; for a target that gets nothing else nothing is counted.
     */
    public static final String DELIVER = KindSql.in("""
            with target as materialized (
                select u.target, s.run_id, s.closing, s.task_queue, w.waiting, w.too_large
                  from unnest(?::text[], ?::smallint[], ?::uuid[], ?::boolean[])
                       with ordinality as u(workflow_id, shard, run_id, counts, target)
                  left join lateral (select s.run_id, s.shard, s.closing, s.task_queue from durable.run_state s
                        where s.workflow_id = u.workflow_id and +s.shard = u.shard
                          and (u.run_id is null or u.run_id in (s.run_id, s.chain_id)) for key share) s on true
                 cross join lateral (
                    select count(*) as waiting, coalesce(sum(pg_column_size(i.payload)), 0) >= ? as too_large
                      from (select i.payload from durable.inbox i
                             where i.run_id = s.run_id and i.shard = s.shard and i.kind <> all(${uncounted})
                             limit case when u.counts then ? else 0 end) i) w),
            t as materialized (
                select array_agg(run_id order by target) as runs, array_agg(closing order by target) as closing,
                       array_agg(task_queue order by target) as queues, array_agg(waiting order by target) as waiting,
                       array_agg(too_large order by target) as too_large
                  from target),
            message as materialized (
                select u.*, t.runs[u.target] as run_id, t.queues[u.target] as task_queue,
                       t.closing[u.target] and u.kind <> all(${admitted}) as closing,
                       exists (select 1 from durable.inbox i where i.run_id = t.runs[u.target]
                                  and i.message_id = u.message_id and i.shard = u.shard offset 0) as here,
                       t.waiting[u.target] + u.place > ? and u.kind <> all(${admitted}) as no_room,
                       t.too_large[u.target] and u.kind <> all(${admitted}) as too_large
                  from t cross join unnest(?::int[], ?::smallint[], ?::int[], ?::int[], ?::uuid[], ?::smallint[], ?::text[],
                                           ?::text[], ?::text[])
                       as u(target, shard, item, place, message_id, kind, name, payload, notes)
                 where t.runs[u.target] is not null),
            accepted as (
                insert into durable.inbox (run_id, message_id, at, ord, kind, shard, wakes, task_queue, name, payload, notes)
                select m.run_id, m.message_id, durable.clock(), m.item, m.kind, m.shard, true, m.task_queue, m.name,
                       m.payload::json, m.notes::json
                  from message m where not m.here and not m.closing and not m.no_room and not m.too_large
                 order by m.run_id, m.message_id
                on conflict do nothing)
            select m.item, case when m.here then 'ACCEPTED' when m.closing then 'CLOSING'
                                when m.no_room then 'INBOX_FULL'
                                when m.too_large then 'INBOX_TOO_LARGE' else 'ACCEPTED' end as outcome, m.task_queue, m.run_id
              from message m""");

    /**
     * The jobs of runs that are background jobs and are asked to cancel, in lock order. A job that is locked is being
     * begun, or ends: it is left alone, and the statement does not wait for it.
     */
    public static final String LOCK_ASKED = """
            select j.* from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (
                    select j.run_id, j.seq, j.task_queue, j.lease, j.state,
                           j.attempt, j.cancel_requested, j.notes, j.operator_notes
                      from durable.activity_job j
                     where j.run_id = u.run_id and j.shard = u.shard and j.workflow_type = 'durable.job'
                     order by j.seq for update skip locked) j""";

    /**
     * Inserts the audit's row of an operator's request, in the transaction that carries it out; the row of a request
     * that is sent again is there already.
     */
    public static final String AUDIT = """
            insert into durable.audit (id, at, actor, action, target, details)
            values (?, durable.clock(), ?, ?, ?, ?::json) on conflict do nothing""";

    /**
     * Finds the message in the histories of the runs of a workflow id that may have consumed it since then: those that
     * started later, and the one before them, as a run starts after the close of the one before it.
     */
    private static final String IN_HISTORY = """
            select 1 from (
                select w.run_id from durable.workflow_run w
                 where w.workflow_id = ${id} and +w.shard = u.shard
                   and w.started_at >= coalesce((
                        select b.started_at from durable.workflow_run b
                         where b.workflow_id = ${id} and +b.shard = u.shard and b.started_at < u.since
                         order by b.started_at desc limit 1), '-infinity')
                   and ${chain} offset 0) w
             cross join lateral (
                select 1 from durable.history_event e
                 where e.run_id = w.run_id and e.shard = u.shard and e.message_id = u.message_id offset 0) e""";

    /**
     * Takes messages out of the inbox of an open run that an earlier run of its workflow id has consumed, or that a run
     * of its chain has rejected: sent again after a COMMIT without an answer. It follows {@link #DELIVER} in its
     * transaction, whose locks keep the open run from continuing; only runs that were open after the first try can have
     * consumed the message.
     */
    public static final String DROP_CONSUMED = """
            delete from durable.inbox where ctid = any(array(
                select i.c from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::timestamptz[])
                           as u(run_id, shard, message_id, since)
                 cross join lateral (
                        select i.ctid as c from durable.inbox i
                         where i.run_id = u.run_id and i.message_id = u.message_id and i.shard = u.shard offset 0) i
                 cross join lateral (
                        select s.workflow_id, coalesce(s.chain_id, s.run_id) as chain from durable.run_state s
                         where s.run_id = u.run_id and +s.shard = u.shard offset 0) s
                 where exists (select 1 from durable.reply r
                         where r.run_id = s.chain and r.reply_id = u.message_id and r.shard = u.shard offset 0)
                    or exists (${history})))""".replace(
            "${history}", IN_HISTORY.replace("${id}", "s.workflow_id").replace("${chain}", "w.run_id <> u.run_id"));

    /**
     * Finds messages that stand in a history: sent again after they were accepted and consumed. A message to a run may
     * stand in that of another run of its chain, one without a run in that of any run of the workflow id.
     */
    public static final String CONSUMED_BEFORE = """
            select u.item from unnest(?::int[], ?::text[], ?::smallint[], ?::uuid[], ?::uuid[], ?::timestamptz[])
                       as u(item, workflow_id, shard, run_id, message_id, since)
             where exists (select 1 from durable.history_event e
                    where e.run_id = u.run_id and e.shard = u.shard and e.message_id = u.message_id offset 0)
                or exists (${history})""".replace(
                    "${history}", IN_HISTORY.replace("${id}", "u.workflow_id").replace("${chain}", """
                        (u.run_id is null or coalesce(w.chain_id, w.run_id) = coalesce((
                            select coalesce(n.chain_id, n.run_id) from durable.workflow_run n
                             where n.run_id = u.run_id and +n.shard = u.shard), u.run_id))"""));
}
