package dev.durable.store.postgres;

import dev.durable.store.MessageKind;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The outbox: filled by callers' transactions, emptied by relays (background). */
final class RelaySql {
    private RelaySql() {}

    /** Messages of a kind that only a newer version knows wait for its relays, and are in nobody's way. */
    private static String known(String sql) {
        String kinds = Stream.of(MessageKind.values())
                .filter(kind -> kind != MessageKind.UNKNOWN)
                .map(kind -> String.valueOf(kind.code()))
                .collect(Collectors.joining(","));
        return sql.replace("${kinds}", kinds);
    }

    static final String ADD = """
            insert into durable.outbox (run_id, event_id, target_run_id, at, kind, shard, target_workflow_id, name, payload,
                   new_run)
            values (?, ?, ?, durable.clock(), ?, ?, ?, ?, ?::json, ?::json)""";

    /** All that an idle relay asks. */
    static final String LOOK = known("""
            select exists (select 1 from durable.outbox o where o.kind = any('{${kinds}}')) as waits,
                   (select count(*) from (select from durable.outbox_refused r limit 10000) r) as aside,
                   (select count(*) from (
                        select from durable.outbox o where o.kind <> all('{${kinds}}') limit 10000) o) as unknown""");

    /**
     * The first messages of each sender that no other relay is at: one relay at a time keeps a sender's order. Senders are
     * skipped through; only those with something to take are locked, and count: the others must not keep them out. A row
     * that another relay has delivered since this statement began is gone when it is locked.
     */
    static final String TAKE = known("""
            with recursive sender as (
                (select o.run_id from durable.outbox o order by o.run_id limit 1)
                union all
                select o.run_id from sender s
                 cross join lateral (select o.run_id from durable.outbox o
                        where o.run_id > s.run_id order by o.run_id limit 1) o),
            mine as materialized (
                select s.run_id from (
                    select s.run_id from sender s
                     where exists (select 1 from durable.outbox o
                            where o.run_id = s.run_id and o.kind = any('{${kinds}}')
                              and (? or o.target_workflow_id = any(?::text[]))
                              and o.target_workflow_id <> all(?::text[]) offset 0) offset 0) s
                 where pg_try_advisory_xact_lock(hashtextextended(s.run_id::text, 0)) limit 64)
            select o.* from mine m
             cross join lateral (
                    select o.run_id, o.event_id, o.target_run_id, o.kind, o.shard, o.target_workflow_id, o.name, o.payload,
                           o.new_run
                      from durable.outbox o
                     where o.run_id = m.run_id and o.kind = any('{${kinds}}')
                       and (? or o.target_workflow_id = any(?::text[]))
                       and o.target_workflow_id <> all(?::text[])
                     order by o.event_id limit ? for update skip locked) o
             limit ?""");

    /** One message, if no other relay is at its sender. */
    static final String TAKE_ONE = """
            select o.run_id, o.event_id, o.target_run_id, o.kind, o.shard, o.target_workflow_id, o.name, o.payload, o.new_run
              from durable.outbox o
             where o.run_id = ? and o.event_id = ? and o.shard = ?
               and pg_try_advisory_xact_lock(hashtextextended(o.run_id::text, 0)) for update skip locked""";

    /** The open runs of these workflow ids, which come in the order of (shard, workflow id). */
    static final String LOCK_TARGETS = """
            select s.run_id from unnest(?::text[], ?::smallint[]) as u(workflow_id, shard)
             cross join lateral (select s.run_id from durable.run_state s
                    where s.workflow_id = u.workflow_id and +s.shard = u.shard for key share) s""";

    /** Out of the way of the others, with what the database says of it. */
    static final String SET_ASIDE = """
            with gone as (
                delete from durable.outbox o where o.run_id = ? and o.event_id = ? and o.shard = ? returning o.*)
            insert into durable.outbox_refused (run_id, event_id, target_run_id, at, refused_at, kind, shard,
                   target_workflow_id, name, payload, new_run, sqlstate, error)
            select g.run_id, g.event_id, g.target_run_id, g.at, durable.clock(), g.kind, g.shard, g.target_workflow_id,
                   g.name, g.payload, g.new_run, ?, ?
              from gone g
            returning event_id""";

    static final String REMOVE = """
            delete from durable.outbox where ctid = any(array(
                select o.c from unnest(?::uuid[], ?::bigint[], ?::smallint[]) as u(run_id, event_id, shard)
                 cross join lateral (select o.ctid as c from durable.outbox o
                        where o.run_id = u.run_id and o.event_id = u.event_id and o.shard = u.shard offset 0) o))""";
}
