package dev.durable.store.postgres.internal.transaction;

import dev.durable.history.MessageKind;
import dev.durable.store.postgres.internal.message.KindSql;
import dev.durable.store.postgres.internal.sql.PortionSql;
import java.util.Set;

/** The SQL of the outbox. */
public final class RelaySql {
    private RelaySql() {}

    /** The kinds of orders, each of which has a transaction of its own ({@link ChildOrders}). */
    private static final Set<MessageKind> ORDERS = Set.of(MessageKind.CHILD_TERMINATE, MessageKind.PARENT_CLOSED);

    /**
     * Restricts a statement to the kinds of messages that this version knows ({@code ${kinds}}), or to those of them that
     * a pass delivers ({@code ${delivered}}). Messages of other kinds wait for the relays of a newer version and hold up no
     * others.
     */
    private static String known(String sql) {
        return sql.replace("${kinds}", KindSql.codes(kind -> true))
                .replace("${delivered}", KindSql.codes(kind -> !ORDERS.contains(kind)));
    }

    static final String ADD = """
            insert into durable.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, name, payload,
                   new_run)
            values (?, ?, ?, durable.clock(), ?, ?, ?, ?, ?::json, ?::json)""";

    /** The query of an idle relay. It reads the first messages; if they are many, others may be behind them. */
    static final String LOOK = known("""
            select coalesce(bool_or(o.kind = any(${kinds})), false) or count(*) = 100 as waits,
                   (select count(*) from (select from durable.outbox_refused r limit 10000) r) as aside,
                   count(*) filter (where o.kind <> all(${kinds})) as unknown,
                   exists (select 1 from durable.outbox o where o.kind in (8, 9)) as orders
              from (select o.kind from durable.outbox o order by o.run_id, o.event_id, o.shard limit 100) o""");

    /**
     * The age of the outbox for a gauge, read by one process. It is exact up to 10,000 messages; if more wait, because
     * the relays stand still, it is that of the senders that began first.
     */
    static final String SINCE = """
            select min(o.at) as since
              from (select o.at from durable.outbox o order by o.run_id, o.event_id, o.shard limit 10000) o""";

    /**
     * Takes the first messages of each sender whose first message no other relay has locked. Senders are found by a
     * skip scan. {@code place} is the number of a message among those of its sender that could be taken: if a number is
     * missing, another relay has that message, or has just delivered it, and the later ones have to wait, as they would
     * overtake it.
     */
    static final String TAKE = known("""
            with recursive sender as (
                (select o.run_id from durable.outbox o order by o.run_id limit 1)
                union all
                select o.run_id from sender s
                 cross join lateral (select o.run_id from durable.outbox o
                        where o.run_id > s.run_id order by o.run_id limit 1) o),
            mine as materialized (
                select o.run_id from (
                    select (select o.ctid from durable.outbox o
                             where o.run_id = s.run_id and o.kind = any(${delivered}) and (? or o.target_workflow_id = any(?::text[]))
                               and o.target_workflow_id <> all(?::text[])
                             order by o.event_id limit 1) as first from sender s offset 0) s
                  join durable.outbox o on o.ctid = s.first limit ? for update of o skip locked)
            """
            + PortionSql.portionBy(
                    "run_id, event_id, target_run_id, kind, shard, target_workflow_id, source_workflow_id, name, payload, new_run, place",
                    PortionSql.sizes("r.payload", "r.new_run"),
                    """
            select o.* from mine m
             cross join lateral (
                    select o.run_id, o.event_id, o.target_run_id, o.kind, o.shard, o.target_workflow_id,
                           o.source_workflow_id, o.name, o.payload, o.new_run, c.place
                      from (select o.ctid, o.event_id, row_number() over (order by o.event_id) as place
                              from durable.outbox o
                             where o.run_id = m.run_id and o.kind = any(${delivered}) and (? or o.target_workflow_id = any(?::text[]))
                               and o.target_workflow_id <> all(?::text[])
                             order by o.event_id limit ?) c
                      join durable.outbox o on o.ctid = c.ctid
                     order by c.event_id for update of o skip locked) o
             limit ?"""));

    /** Takes one message, if no other relay has locked the first message of its sender. */
    static final String TAKE_ONE = """
            select o.run_id, o.event_id, o.target_run_id, o.kind, o.shard, o.target_workflow_id, o.source_workflow_id,
                   o.name, o.payload, o.new_run
              from durable.outbox o
              join (select o.ctid from durable.outbox o where o.run_id = ? order by o.event_id limit 1) f on true
              join durable.outbox first on first.ctid = f.ctid
             where o.run_id = ? and o.event_id = ? and o.shard = ? for update of first, o skip locked""";

    /** Takes the messages that a transaction has sent to its own run, which no relay sees before the commit. */
    static final String TAKE_OWN = """
            select o.run_id, o.event_id, o.target_run_id, o.kind, o.shard, o.target_workflow_id, o.source_workflow_id,
                   o.name, o.payload, o.new_run
              from unnest(?::uuid[], ?::bigint[], ?::smallint[]) as u(run_id, event_id, shard)
             cross join lateral (select o.* from durable.outbox o
                    where o.run_id = u.run_id and o.event_id = u.event_id and o.shard = u.shard
                    for update skip locked) o
             order by o.event_id""";

    /** Locks the open runs of these workflow ids, which come in the order of (shard, workflow id). */
    static final String LOCK_TARGETS = """
            select s.run_id from unnest(?::text[], ?::smallint[]) as u(workflow_id, shard)
             cross join lateral (select s.run_id from durable.run_state s
                    where s.workflow_id = u.workflow_id and +s.shard = u.shard for key share) s""";

    /**
     * Returns those of these children that do not exist, by their workflow ids, shards and chains. An open one exists
     * though retention may have removed the first run of its chain.
     */
    static final String NOT_STARTED = """
            select u.chain from unnest(?::text[], ?::smallint[], ?::uuid[]) as u(workflow_id, shard, chain)
             where not exists (select 1 from durable.workflow_run w
                    where w.run_id = u.chain and +w.shard = u.shard offset 0)
               and not exists (select 1 from durable.run_state s
                    where s.workflow_id = u.workflow_id and +s.shard = u.shard and s.chain_id = u.chain offset 0)""";

    /** Moves a message to {@code outbox_refused}, out of the way of the others, with the error of the database. */
    static final String SET_ASIDE = """
            with gone as (
                delete from durable.outbox o where o.run_id = ? and o.event_id = ? and o.shard = ? returning o.*)
            insert into durable.outbox_refused (run_id, event_id, target_run_id, at, refused_at, kind, shard,
                   target_workflow_id, source_workflow_id, name, payload, new_run, sqlstate, error)
            select g.run_id, g.event_id, g.target_run_id, g.at, durable.clock(), g.kind, g.shard, g.target_workflow_id,
                   g.source_workflow_id, g.name, g.payload, g.new_run, ?, ?
              from gone g
            returning event_id""";

    static final String NOW = "select durable.clock() as now";

    /**
     * Takes an order to end runs that no other relay has, unless an earlier message of its source to the same target
     * waits, such as the child's start. It is the next one behind that source and number.
     */
    static final String TAKE_ORDER = """
            select o.run_id, o.event_id, o.target_run_id, o.kind, o.shard, o.target_workflow_id, o.source_workflow_id,
                   o.payload
              from durable.outbox o
             where o.kind in (8, 9)
               and (o.run_id, o.event_id) > (?, ?)
               and (o.kind = 9 or not exists (select 1 from durable.outbox b
                        where b.run_id = o.run_id and b.event_id < o.event_id
                          and b.target_workflow_id = o.target_workflow_id offset 0))
             order by o.run_id, o.event_id limit 1 for update of o skip locked""";

    /**
     * Locks open children of a chain to which their policy is still to be applied. A child that is locked, as it makes a
     * step just now, is left to a later portion, as the order stands until none is left.
     */
    static final String LOCK_CHILDREN = """
            select s.run_id, s.workflow_id, s.next_event_id, s.parent_policy from durable.run_state s
             where s.parent_chain = ? and s.parent_policy in (1, 2) and s.run_id <> all(?::uuid[])
             limit ? for update skip locked""";

    /** Locks a run that is to be terminated. */
    static final String LOCK_CHILD = """
            select s.run_id, s.workflow_id, s.next_event_id, 1 as parent_policy from durable.run_state s
             where s.workflow_id = ? and +s.shard = ? and ?::uuid in (s.run_id, s.chain_id) for update skip locked""";

    static final String POLICY_APPLIED = """
            update durable.run_state s set parent_policy = null
             where s.run_id = any(?::uuid[]) and +s.shard = any(?::smallint[])""";

    /** Deletes the order to apply the policies of a chain if no child is left; returns a row if it is deleted. */
    static final String ALL_APPLIED = """
            delete from durable.outbox o where o.run_id = ? and o.event_id = ? and o.shard = ?
               and not exists (select 1 from durable.run_state s where s.parent_chain = ? and s.parent_policy in (1, 2))
            returning 1 as gone""";

    /** Deletes the order to terminate a run if it is not open any more; returns a row if it is deleted. */
    static final String TERMINATED = """
            delete from durable.outbox o where o.run_id = ? and o.event_id = ? and o.shard = ?
               and not exists (select 1 from durable.run_state s
                                where s.workflow_id = ? and +s.shard = ? and ?::uuid in (s.run_id, s.chain_id))
            returning 1 as gone""";

    static final String REMOVE_ONE =
            "delete from durable.outbox o where o.run_id = ? and o.event_id = ? and o.shard = ? returning event_id";

    /** Finds outcomes of callbacks for which the inbox has another one; their target is a run. */
    static final String PRECEDED = """
            select u.item::int as item
              from unnest(?::uuid[], ?::smallint[], ?::uuid[], ?::text[], ?::text[])
                   with ordinality as u(run_id, shard, message_id, name, payload, item)
             cross join lateral (select 1 from durable.inbox i
                    where i.run_id = u.run_id and i.shard = u.shard and i.message_id = u.message_id
                      and (i.name, i.payload::text) is distinct from (u.name, u.payload) offset 0) i""";

    static final String REMOVE = """
            delete from durable.outbox where ctid = any(array(
                select o.c from unnest(?::uuid[], ?::bigint[], ?::smallint[]) as u(run_id, event_id, shard)
                 cross join lateral (select o.ctid as c from durable.outbox o
                        where o.run_id = u.run_id and o.event_id = u.event_id and o.shard = u.shard offset 0) o))""";
}
