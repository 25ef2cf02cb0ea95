package dev.durable.store.postgres;

import dev.durable.store.Portion;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.SortField;
import org.jooq.Table;
import org.jooq.impl.DSL;

/** Hot reads: of claims, rebuilds and waiting clients. */
final class ReadSql {
    private ReadSql() {}

    /** What the row of a {@linkplain #portion listing} counts for. */
    static final Field<Long> SIZE = DSL.field(DSL.name("size"), Long.class);

    /**
     * The first of these rows that make a {@linkplain dev.durable.store.Portion portion}; its size is the last parameter.
     * What is stored says how large it is without being unpacked; {@code octet_length} of a json unpacks all of it, for rows
     * that are then left out, too. Rows come as the nested loops below give them: the window needs no sort, and holds no
     * more than pointers to what is stored out of line.
     */
    static String portion(String columns, String large, String rows) {
        return portionBy(columns, size("r." + large), rows);
    }

    /** The same with rows {@code r} that are as large as this says. */
    static String portionBy(String columns, String size, String rows) {
        return "select " + columns + " from (select p.*, sum(p.size) over (rows unbounded preceding) - p.size as before"
                + " from (select r.*, " + size + " as size from (" + rows + ") r) p) q where q.before < ?";
    }

    /** What a column counts for. */
    static String size(String column) {
        return "pg_column_size(" + column + ")::bigint * case when pg_column_compression(" + column
                + ") is null then 1 else " + Portion.COMPRESSED + " end";
    }

    /**
     * The same of a listing, in this order. Its rows have their sizes with them: where those of all that were read make a
     * portion, there may be more.
     */
    static Select<? extends Record> portion(
            DSLContext dsl,
            Select<? extends Record> rows,
            List<? extends Field<?>> large,
            List<? extends SortField<?>> order) {
        String size =
                sizes(large.stream().map(column -> "r." + column.getName()).toArray(String[]::new));
        Table<? extends Record> r = rows.asTable("r");
        Table<? extends Record> p = dsl.select(r.fields())
                .select(DSL.field(size, Long.class).as(SIZE))
                .from(r)
                .asTable("p");
        Table<? extends Record> q = dsl.select(p.fields())
                .select(DSL.sum(SIZE)
                        .over()
                        .orderBy(order)
                        .rowsUnboundedPreceding()
                        .minus(SIZE)
                        .as("before"))
                .from(p)
                .asTable("q");
        return dsl.select(Stream.of(p.fields()).map(q::field).toList())
                .from(q)
                .where(DSL.field(DSL.name("before"), Long.class).lt((long) Portion.BYTES))
                .orderBy(order);
    }

    /** What columns count for, of which each may be null. */
    static String sizes(String... columns) {
        return Stream.of(columns)
                .map(column -> "coalesce(" + size(column) + ", 0)")
                .collect(Collectors.joining(" + "));
    }

    private static final String MESSAGE = "run_id, message_id, kind, name, payload, notes, at";
    private static final String EVENT = "event_id, type, at, message_id, attributes";

    static final String MESSAGES = portion(MESSAGE, "payload", """
            select u.run_id, m.message_id, m.kind, m.name, m.payload, m.notes, m.at
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (
                    select i.message_id, i.kind, i.name, i.payload, i.notes, i.at, i.ord from durable.inbox i
                     where i.run_id = u.run_id and i.shard = u.shard order by i.at, i.ord limit ?) m""");

    static final String HISTORY = portion(EVENT, "attributes", """
            select e.event_id, e.type, e.at, e.message_id, e.attributes from durable.history_event e
             where e.run_id = ? and e.shard = ? and e.event_id >= ? order by e.event_id limit ?""");

    static final String HISTORIES = portion("run_id, " + EVENT, "attributes", """
            select u.run_id, e.event_id, e.type, e.at, e.message_id, e.attributes
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (
                    select e.event_id, e.type, e.at, e.message_id, e.attributes from durable.history_event e
                     where e.run_id = u.run_id and e.shard = u.shard order by e.event_id limit ?) e""");

    /** The latest run of each workflow id. */
    static final String LATEST = """
            select w.run_id, w.workflow_id
              from unnest(?::text[], ?::smallint[]) as u(workflow_id, shard)
             cross join lateral (select w.* from durable.workflow_run w
                    where w.workflow_id = u.workflow_id and +w.shard = u.shard order by w.started_at desc limit 1) w""";

    /** Of these runs the ones that have closed: what all waiting clients of a process ask together. */
    static final String UNKNOWN = """
            select u.run_id from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             where not exists (select 1 from durable.workflow_run w
                    where w.run_id = u.run_id and +w.shard = u.shard offset 0)""";

    static final String CLOSED = portionBy(
            "run_id, workflow_id, type, status, task_queue, started_at, closed_at, result, failure, memo",
            sizes("r.result", "r.failure", "r.memo"),
            """
            select w.run_id, w.workflow_id, w.type, w.status, w.task_queue, w.started_at, w.closed_at, w.result, w.failure,
                   w.memo
              from unnest(?::uuid[], ?::smallint[]) as u(run_id, shard)
             cross join lateral (select w.* from durable.workflow_run w
                    where w.run_id = u.run_id and +w.shard = u.shard and w.closed_at is not null offset 0) w""");
}
