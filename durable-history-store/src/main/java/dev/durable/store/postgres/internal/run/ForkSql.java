package dev.durable.store.postgres.internal.run;

import dev.durable.history.MessageKind;

/** The SQL of forks, and of forks that take the places of runs. */
public final class ForkSql {
    private ForkSql() {}

    /** The fence stands on no copied event: these were written under the fences of the run that was forked. */
    static final String COPY = """
            with copied as (
                insert into durable.history_event (run_id, event_id, at, message_id, shard, type, attributes)
                select ?::uuid, e.event_id, e.at, e.message_id, ?::smallint, e.type, e.attributes
                  from durable.history_event e
                 where e.run_id = ?::uuid and e.shard = ?::smallint and e.event_id <= ?::bigint
                returning 1)
            select count(*) as copied from copied""";

    /**
     * Locks, in lock order, the open run of the workflow id of a fork against its senders and its holder, and the open runs
     * of its family against their ends.
     */
    static final String LOCK_FAMILY = """
            select o.run_id, o.next_event_id, o.pinned_to
              from unnest(?::text[], ?::smallint[], ?::boolean[]) as u(workflow_id, shard, own)
              left join lateral (select s.run_id, s.next_event_id, s.pinned_to from durable.run_state s
                    where u.own and s.workflow_id = u.workflow_id and +s.shard = u.shard for update) o on true
              left join lateral (select s.run_id from durable.run_state s
                    where not u.own and s.workflow_id = u.workflow_id and +s.shard = u.shard for key share) k on true""";

    static final String IS_KNOWN = "select 1 from durable.workflow_run w where w.run_id = ? and +w.shard = ?";

    /** Makes the row of the open run of a workflow id whose latest run has closed, unless another one is open. */
    static final String REOPEN = """
            insert into durable.run_state (run_id, shard, workflow_id, type, task_queue, fence, chain_id, next_event_id,
                   wake_at, deadline, parent_chain, root_chain, parent_policy)
            select u.run_id, u.shard, u.workflow_id, u.type, u.task_queue, u.fence, u.chain_id, u.next_event_id,
                   durable.clock(), u.deadline, u.parent_chain, u.root_chain,
                   case when exists (select 1 from durable.run_state p where p.workflow_id = u.parent and
                                u.parent_chain in (p.run_id, p.chain_id)) or u.policy = 3 then u.policy end
              from (values (?::uuid, ?::smallint, ?::text, ?::text, ?::text, ?::uuid, ?::uuid, ?::bigint, ?::timestamptz,
                            ?::text, ?::uuid, ?::uuid, ?::smallint))
                   as u(run_id, shard, workflow_id, type, task_queue, fence, chain_id, next_event_id, deadline, parent,
                        parent_chain, root_chain, policy)
            on conflict do nothing
            returning 1""";

    /** The latest run of a workflow id and the number of its last event, read when no other run of it can open or close. */
    static final String LATEST = """
            select w.run_id, w.closed_at is not null as closed,
                   (select e.event_id from durable.history_event e
                     where e.run_id = w.run_id and e.shard = w.shard order by e.event_id desc limit 1) as last
              from durable.workflow_run w
             where w.workflow_id = ? and +w.shard = ? order by w.started_at desc limit 1""";

    /**
     * Names the fork in the row of the closed run whose place it takes, and makes the row of the fork. A failed run that
     * another follows is no notable one.
     */
    static final String TAKE_PLACE = """
            with replaced as (
                update durable.workflow_run w set next_run_id = ? where w.run_id = ? and +w.shard = ? returning w.*),
            retried as (
                delete from durable.notable_run n using replaced r
                 where n.run_id = r.run_id and n.shard = r.shard and n.status in ('FAILED', 'TIMED_OUT'))
            insert into durable.workflow_run (run_id, shard, workflow_id, type, task_queue, status, started_at, memo,
                   chain_id, previous_run_id, parent_workflow_id, parent_chain, parent_number, root_chain, has_children)
            select w.next_run_id, w.shard, w.workflow_id, w.type, w.task_queue, 'RUNNING',
                   greatest(durable.clock(), w.started_at + interval '1 us'), w.memo, coalesce(w.chain_id, w.run_id),
                   w.run_id, w.parent_workflow_id, w.parent_chain, w.parent_number, w.root_chain, w.has_children
              from replaced w""";

    /** Takes back what the end of a chain has left for its parent and its children, where that is not delivered yet. */
    static final String TAKE_BACK_END = """
            with aside as (
                delete from durable.outbox_refused o where o.run_id = ? and o.event_id >= ? and o.shard = ?)
            delete from durable.outbox o where o.run_id = ? and o.event_id >= ? and o.shard = ?""";

    /** Locks the orders to start children, so that no relay delivers or drops one until the fork is there. */
    static final String LOCK_STARTS = """
            select 1 from durable.outbox o
             where o.run_id = ? and o.shard = ? and o.kind = ${start} order by o.event_id for share""".replace("${start}", "" + MessageKind.CHILD_START.code());

    /** The newest runs of children, and whether they are still to be started; read when they and the orders are locked. */
    static final String CHILDREN = """
            select u.item::int as item, n.run_id is not null as started, n.status, n.result::text as result,
                   n.failure::text as failure,
                   exists (select 1 from durable.outbox o
                            where o.run_id = ? and o.kind = ${start} and o.target_run_id = u.chain offset 0) as ordered
              from unnest(?::text[], ?::smallint[], ?::uuid[]) with ordinality as u(workflow_id, shard, chain, item)
              left join lateral (select w.run_id, w.status, w.result, w.failure from durable.workflow_run w
                    where w.workflow_id = u.workflow_id and +w.shard = u.shard
                      and u.chain in (w.run_id, w.chain_id)
                    order by w.started_at desc limit 1) n on true""".replace("${start}", "" + MessageKind.CHILD_START.code());

    /** Takes back the outcomes of children that are told by the reset itself. */
    static final String TAKE_BACK_OUTCOMES = """
            delete from durable.outbox where ctid = any(array(
                select o.c from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
                 cross join lateral (select o.ctid as c from durable.outbox o
                        where o.run_id = u.run_id and o.event_id = ? and o.shard = u.shard for update) o))""";

    /** Lets open children end with the fork, though their policies were applied when the run ended. */
    static final String DEPEND_AGAIN = """
            update durable.run_state s set parent_policy = u.policy
              from (select s.c, u.policy
                      from unnest(?::text[], ?::smallint[], ?::uuid[], ?::smallint[]) as u(workflow_id, shard, chain, policy)
                     cross join lateral (select s.ctid as c from durable.run_state s
                            where s.workflow_id = u.workflow_id and +s.shard = u.shard
                              and u.chain in (s.run_id, s.chain_id) and s.parent_policy is null
                            for no key update) s) u
             where s.ctid = u.c""";

    /** Lets a fork go on behind the events that it has copied, pinned as the run was, and drops what must not move to it. */
    static final String GO_ON_BEHIND = """
            with dropped as (
                delete from durable.inbox i where i.run_id = ? and i.shard = ? and i.kind = ${cancel})
            update durable.run_state s set next_event_id = ?, pinned_to = ? where s.run_id = ? and +s.shard = ?""".replace("${cancel}", "" + MessageKind.CANCEL.code());
}
