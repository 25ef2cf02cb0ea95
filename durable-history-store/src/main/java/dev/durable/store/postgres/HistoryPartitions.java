package dev.durable.store.postgres;

import dev.durable.DurableException;
import dev.durable.store.postgres.internal.schema.Ddl;
import dev.durable.store.postgres.internal.sql.DataSources;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.upkeep.Partitions;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the histories of a month, and what its runs have appended to streams, by dropping the partitions of that month,
 * while engines go on working. It is used by the owner of the schema, on direct connections (a pooler in transaction mode
 * can't detach concurrently).
 *
 * <pre>{@code
 * HistoryPartitions.of(ownersDataSource).drop(YearMonth.of(2026, 3));
 * }</pre>
 *
 * <p>A partition is detached concurrently, which waits for transactions that read the table and blocks no other, and is
 * dropped once it is detached. A call that was interrupted in the middle is finished by the next one. Runs and their
 * results stay in {@code v_workflow}; their events and entries of streams are gone.
 *
 * <p>Thread-safe.
 */
public final class HistoryPartitions {
    private static final Logger log = LoggerFactory.getLogger(HistoryPartitions.class);

    private final SchemaName schema;
    private final StoreErrors failures;
    private final Ddl ddl;

    public HistoryPartitions(DataSource owner, SchemaName schema, Duration patience) {
        this.schema = schema;
        this.failures = new StoreErrors(DataSources.describe(owner));
        this.ddl = new Ddl(owner, schema, failures, patience);
    }

    /** Works on the schema {@code durable}. */
    public static HistoryPartitions of(DataSource owner) {
        return of(owner, SchemaName.DEFAULT);
    }

    /** Works on the schema of this name. */
    public static HistoryPartitions of(DataSource owner, String schema) {
        return new HistoryPartitions(owner, new SchemaName(schema), Ddl.PATIENCE);
    }

    /**
     * Drops the histories of all runs that were started in a month (UTC), also those that were detached before; the
     * audit records it.
     *
     * @return the tables that were dropped; empty if there was none
     * @throws DurableException if a run of that month is open, as it could not go on; if the month has not been over
     *     for a day; if a partition that this library has not created may contain histories of that month; if other
     *     transactions hold the table for more than two minutes; or if this user does not own it
     */
    public List<String> drop(YearMonth month) {
        String what = "the history of " + month + " can't be dropped";
        List<String> dropped = new ArrayList<>();
        ddl.transaction(what, statement -> {
            refuseNeeded(what, month, statement);
            refuseOthers(what, month, statement);
        });
        ddl.transaction(what, statement -> {
            finishDetaching(statement);
            for (String detach : tables(detach(), month, "c.relispartition and not i.inhdetachpending", statement)) {
                ddl.alone(statement, detach + " concurrently");
            }
        });
        ddl.transaction(what, this::finishDetaching);
        ddl.transaction(what, statement -> {
            dropped.clear();
            for (String table : tables("c.relname", month, "not c.relispartition", statement)) {
                statement.execute("drop table " + schema.quoted() + "." + table);
                statement.execute("insert into " + schema.quoted() + ".audit (id, at, actor, action, target, details)"
                        + " values (gen_random_uuid(), " + schema.quoted() + ".clock(), session_user, 'drop history', '"
                        + table + "', '{}')");
                dropped.add(table);
            }
        });
        log.info("dropped the history of {}: {}", month, dropped);
        return dropped;
    }

    /**
     * Refuses if a run of the month is open, as it could not go on without its history, or if the month has not been
     * over for a day, as clocks differ.
     */
    private void refuseNeeded(String what, YearMonth month, Statement statement) throws SQLException {
        List<String> over = Ddl.strings(
                statement,
                "select 1 where " + schema.quoted() + ".clock() > '" + month.plusMonths(1)
                        + "-01Z'::timestamptz + interval '1 day'");
        if (over.isEmpty()) {
            throw new DurableException(what + " in the database at " + failures.database()
                    + ": runs may still be started in it. A month can be dropped one day after its end.");
        }
        String bounds = "'" + month + "-01Z'::timestamptz) and run_id < " + schema.quoted() + ".run_id_at('"
                + month.plusMonths(1) + "-01Z'::timestamptz)";
        List<String> open = Ddl.strings(
                statement,
                "select workflow_id from " + schema.quoted() + ".run_state where run_id >= " + schema.quoted()
                        + ".run_id_at(" + bounds + " limit 4");
        if (!open.isEmpty()) {
            throw new DurableException(what + " in the database at " + failures.database() + ": "
                    + (open.size() > 3 ? "more than three of its runs" : "some of its runs")
                    + " are open, and could not go on without it: "
                    + String.join(", ", open.subList(0, Math.min(3, open.size())))
                    + ". Let them end, or cancel or terminate them.");
        }
    }

    /**
     * Refuses if a partition that this library has not created may contain histories, or entries of streams, of the
     * month, as it contains those of other months as well, or will.
     */
    private void refuseOthers(String what, YearMonth month, Statement statement) throws SQLException {
        List<String> others = Ddl.strings(
                statement,
                schema.in(Partitions.OTHERS_BETWEEN.formatted(month + "-01Z", month.plusMonths(1) + "-01Z")));
        if (!others.isEmpty()) {
            throw new DurableException(what + " in the database at " + failures.database() + ": "
                    + String.join(", ", others)
                    + " may have histories or entries of streams of it and was not made by Durable, but with bounds of"
                    + " its own. When no run of its time is open any more, detach and drop it yourself; of a DEFAULT partition,"
                    + " beside which PostgreSQL detaches nothing concurrently, move the rows to partitions of their months"
                    + " first.");
        }
    }

    /** Finishes a detachment of any month: while a partition is being detached, the server detaches no other of its table. */
    private void finishDetaching(Statement statement) throws SQLException {
        List<String> pending = Ddl.strings(statement, """
                select %2$s from pg_inherits i join pg_class c on c.oid = i.inhrelid
                 where i.inhparent in (to_regclass('%1$s.history_event'), to_regclass('%1$s.stream_entry'))
                   and i.inhdetachpending""".formatted(schema.quoted(), detach()));
        for (String detach : pending) {
            ddl.alone(statement, detach + " finalize");
        }
    }

    /** An expression: the statement that detaches partition {@code c} of table {@code i.inhparent}, but for its last word. */
    private String detach() {
        String named = schema.quoted() + ".' || ";
        return "'alter table " + named + "(select quote_ident(p.relname) from pg_class p where p.oid = i.inhparent)"
                + " || ' detach partition " + named + "quote_ident(c.relname)";
    }

    /** The partitions of the month, the numbered further ones of the month included, each by an expression. */
    private List<String> tables(String expression, YearMonth month, String condition, Statement statement)
            throws SQLException {
        return Ddl.strings(statement, """
                select %s from pg_class c left join pg_inherits i on i.inhrelid = c.oid
                 where c.relnamespace = to_regnamespace('%s') and c.relkind = 'r'
                   and c.relname ~ '^(history_event|stream_entry)_%s(_[0-9]+)?$' and %s order by c.relname""".formatted(
                        expression, schema.quoted(), month.toString().replace('-', '_'), condition));
    }
}
