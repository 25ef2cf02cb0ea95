package dev.durable.store.postgres.internal.run;

import dev.durable.store.postgres.internal.sql.PortionSql;

/** The SQL of the frequent reads: histories, messages, and ends of runs for waiting clients. */
public final class ReadSql {
    private ReadSql() {}

    private static final String MESSAGE = "run_id, message_id, kind, name, payload, notes, at";
    private static final String EVENT = "event_id, type, at, message_id, attributes";

    static final String MESSAGES = PortionSql.portion(MESSAGE, "payload", """
            select u.run_id, m.message_id, m.kind, m.name, m.payload, m.notes, m.at
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (
                    select i.message_id, i.kind, i.name, i.payload, i.notes, i.at, i.ord from durable.inbox i
                     where i.run_id = u.run_id and i.shard = u.shard order by i.at, i.ord limit ?) m""");

    static final String HISTORY = PortionSql.portion(EVENT, "attributes", """
            select e.event_id, e.type, e.at, e.message_id, e.attributes from durable.history_event e
             where e.run_id = ? and e.shard = ? and e.event_id >= ? order by e.event_id limit ?""");

    static final String HISTORIES = PortionSql.portion("run_id, " + EVENT, "attributes", """
            select u.run_id, e.event_id, e.type, e.at, e.message_id, e.attributes
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (
                    select e.event_id, e.type, e.at, e.message_id, e.attributes from durable.history_event e
                     where e.run_id = u.run_id and e.shard = u.shard order by e.event_id limit ?) e""");

    public static final String LATEST = """
            select w.run_id, w.workflow_id
              from unnest(?::text[], ?::smallint[]) as u(workflow_id, shard)
             cross join lateral (select w.* from durable.workflow_run w
                    where w.workflow_id = u.workflow_id and +w.shard = u.shard order by w.started_at desc limit 1) w""";

    private static final String SHOWN = """
            select w.run_id, w.workflow_id, w.type, w.status, w.task_queue, w.started_at, w.closed_at, w.result, w.failure,
                   w.memo, w.details, coalesce(w.chain_id, w.run_id) as chain_id, w.previous_run_id, w.next_run_id,
                   coalesce(w.attempt, 1) as attempt,
                   (select s.build from durable.run_state s where s.run_id = w.run_id and +s.shard = w.shard) as build
              from durable.workflow_run w""";

    /** Returns what handles show of a run. */
    public static final String RUN = SHOWN + " where w.run_id = ? and +w.shard = ?";

    /** Returns these columns of the run of a workflow id that was started last. */
    public static final String LATEST_RUN =
            SHOWN + " where w.workflow_id = ? and w.shard = ? order by w.started_at desc limit 1";

    /** Returns those of these runs that are not there. */
    public static final String UNKNOWN = """
            select u.run_id from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             where not exists (select 1 from durable.workflow_run w
                    where w.run_id = u.run_id and +w.shard = u.shard offset 0)""";

    /**
     * Returns those of these runs that have closed, with the newest run of the chain where another continues them, for all waiting clients of a process together. It has no columns
     * that are only shown.
     */
    public static final String CLOSED = PortionSql.portionBy(
            "run_id, status, result, failure, next", PortionSql.sizes("r.result", "r.failure"), """
            select w.run_id, w.status, w.result, w.failure, case when w.next_run_id is not null then coalesce((
                        select n.run_id from durable.workflow_run n
                         where n.workflow_id = w.workflow_id and +n.shard = u.shard and n.started_at > w.started_at
                           and n.chain_id = coalesce(w.chain_id, w.run_id)
                         order by n.started_at desc limit 1), w.next_run_id) end as next
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (select w.* from durable.workflow_run w
                    where w.run_id = u.run_id and +w.shard = u.shard and w.closed_at is not null offset 0) w""");
}
