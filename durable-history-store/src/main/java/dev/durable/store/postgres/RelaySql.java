package dev.durable.store.postgres;

/** The outbox: filled by callers' transactions, emptied by relays (background). */
final class RelaySql {
    private RelaySql() {}

    static final String ADD = """
            insert into durable.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, name, payload)
            values (?, ?, ?, durable.clock(), ?, ?, ?, ?, ?::json)""";

    /**
     * The first messages of each sender that no other relay is at: one relay at a time keeps a sender's order. Senders are
     * skipped through. A row that another relay has delivered since this statement began is gone when it is locked.
     */
    static final String TAKE = """
            with recursive sender as (
                (select o.run_id from durable.outbox o order by o.run_id limit 1)
                union all
                select o.run_id from sender s
                 cross join lateral (select o.run_id from durable.outbox o
                        where o.run_id > s.run_id order by o.run_id limit 1) o),
            mine as materialized (
                select s.run_id from sender s
                 where pg_try_advisory_xact_lock(hashtextextended(s.run_id::text, 0)) limit 64)
            select o.* from mine m
             cross join lateral (
                    select o.run_id, o.event_id, o.target_run_id, o.kind, o.shard, o.target_workflow_id, o.name, o.payload
                      from durable.outbox o
                     where o.run_id = m.run_id and (? or o.target_workflow_id = any(?::text[]))
                       and o.target_workflow_id <> all(?::text[])
                     order by o.event_id limit ? for update skip locked) o
             limit ?""";

    static final String REMOVE = """
            delete from durable.outbox where ctid = any(array(
                select o.c from unnest(?::uuid[], ?::bigint[], ?::smallint[]) as u(run_id, event_id, shard)
                 cross join lateral (select o.ctid as c from durable.outbox o
                        where o.run_id = u.run_id and o.event_id = u.event_id and o.shard = u.shard offset 0) o))""";
}
