package dev.durable.store.postgres.internal.schema;

import dev.durable.DurableException;
import dev.durable.store.postgres.internal.sql.PooledConnection;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SearchPath;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes DDL so that no statement waits for it long: with a short lock timeout, retried until it succeeds. A
 * statement that waits for a table holds up all statements that come after it, so a transaction waits for {@value
 * #LOCK_TIMEOUT_MILLIS} ms, less than any statement of the engine's, is rolled back, and is repeated after a pause,
 * until its patience is over.
 *
 * <p>One process at a time has its turn, by a lock of the table {@code schema_version}, which a user with no more than
 * a worker's rights can't take. The lock is tried and never waited for, and gives its transaction neither a snapshot
 * nor an id, for which a concurrent build in the same turn would wait, and vacuum behind it. Where there is no schema
 * yet, the process that creates it first has the turn: the others meet its names in the catalog. No state is left in
 * the session, so a pooler in transaction mode is fine; only {@link #alone} needs a direct connection.
 */
public final class Ddl {
    /** How long a change is tried again. A reader that holds its table for longer has to be ended by an operator. */
    public static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Logger log = LoggerFactory.getLogger(Ddl.class);
    private static final int LOCK_TIMEOUT_MILLIS = 50;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int DOUBLINGS = 3;
    private static final List<String> SESSION = List.of("lock_timeout", "statement_timeout", "search_path");
    /**
     * The errors of a process that creates an object while another process creates it: unique_violation (of the
     * catalog), duplicate_schema, duplicate_table.
     */
    private static final Set<String> NAME_IS_TAKEN = Set.of("23505", "42P06", "42P07");

    private final DataSource owner;
    private final SchemaName schema;
    private final StoreErrors failures;
    private final Duration patience;

    public Ddl(DataSource owner, SchemaName schema, StoreErrors failures, Duration patience) {
        this.owner = owner;
        this.schema = schema;
        this.failures = failures;
        this.patience = patience;
    }

    /** Does the work in a transaction; the work may be run again. */
    public void transaction(String what, Work work) {
        long start = System.nanoTime();
        for (int attempt = 0; ; attempt++) {
            String obstacle;
            try {
                if (isDone(work)) {
                    return;
                }
                obstacle = "another process has its turn";
            } catch (SQLException e) {
                obstacle = obstacle(what, e);
            }
            if (System.nanoTime() - start > patience.toNanos()) {
                throw gaveUp(what, obstacle);
            }
            log.debug("{}: {}; tried again soon", what, obstacle);
            pause(attempt);
        }
    }

    /**
     * Runs a statement that must not be in a transaction, on a connection of its own beside the transaction that has
     * the turn. No statement waits behind such a one, so it waits for others as long as its patience lasts.
     *
     * @param turn the statement of that transaction
     */
    public void alone(Statement turn, String sql) throws SQLException {
        // A query's portal keeps its snapshot until the next statement; this statement has none, so that the build does
        // not wait for it.
        turn.execute("set local statement_timeout = 0");
        try (PooledConnection borrowed = second();
                Statement statement = borrowed.connection().createStatement()) {
            List<String> before = new ArrayList<>();
            for (String setting : SESSION) {
                before.addAll(strings(statement, "select pg_catalog.current_setting('" + setting + "')"));
            }
            before.addAll(strings(
                    statement, "select coalesce(pg_catalog.current_setting('transaction_timeout', true), '0')"));
            settings(statement, List.of(Long.toString(patience.toMillis()), "0", SearchPath.OF_THE_SERVER, "0"));
            try {
                statement.execute(sql);
            } finally {
                settings(statement, before);
            }
        }
    }

    private static void settings(Statement statement, List<String> values) throws SQLException {
        for (int i = 0; i < SESSION.size(); i++) {
            statement.execute("select pg_catalog.set_config('" + SESSION.get(i) + "', '"
                    + values.get(i).replace("'", "''") + "', false)");
        }
        statement.execute("select " + transactionTimeout(values.get(SESSION.size()), false));
    }

    /** Sets transaction_timeout, which servers before 17 do not know. */
    public static String transactionTimeout(String value, boolean local) {
        return "(select pg_catalog.set_config(s.name, '" + value + "', " + local
                + ") from pg_catalog.pg_settings s where s.name operator(pg_catalog.=) 'transaction_timeout')";
    }

    /** Returns whether it was this process's turn. */
    private boolean isDone(Work work) throws SQLException {
        try (PooledConnection borrowed = borrow();
                Statement statement = borrowed.connection().createStatement()) {
            boolean made = isMade(statement);
            statement.execute("begin isolation level read committed");
            try {
                statement.execute("select pg_catalog.set_config('lock_timeout', '" + LOCK_TIMEOUT_MILLIS + "', true),"
                        + " pg_catalog.set_config('statement_timeout', '0', true),"
                        + " pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true), "
                        + SearchPath.ofScripts(SearchPath.with(schema)) + ", " + transactionTimeout("0", true));
                if (made && !isTaken(statement)) {
                    statement.execute("rollback");
                    return false;
                }
                work.in(statement);
                statement.execute("commit");
                return true;
            } catch (SQLException | RuntimeException | Error e) {
                rollback(borrowed.connection(), e);
                if (!made
                        && e instanceof SQLException met
                        && NAME_IS_TAKEN.contains(met.getSQLState())
                        && isMade(statement)) {
                    return false;
                }
                throw e;
            }
        }
    }

    private String versions() {
        return schema.quoted() + ".schema_version";
    }

    private boolean isMade(Statement statement) throws SQLException {
        return strings(statement, "select pg_catalog.to_regclass('" + versions() + "')")
                        .getFirst()
                != null;
    }

    private boolean isTaken(Statement statement) throws SQLException {
        try {
            statement.execute("lock table " + versions() + " in exclusive mode nowait");
            return true;
        } catch (SQLException e) {
            if (SqlState.of(e) == SqlState.LOCKED) {
                return false;
            }
            throw e;
        }
    }

    private PooledConnection borrow() {
        try {
            return PooledConnection.from(owner);
        } catch (SQLException e) {
            throw failures.unavailable(e);
        }
    }

    private PooledConnection second() {
        try {
            return PooledConnection.from(owner);
        } catch (SQLException e) {
            if (e.getCause() != null || SqlState.of(e).isOutage()) {
                throw failures.unavailable(e);
            }
            throw new DurableException(
                    "a statement that can't be in a transaction (an index that is built, a partition that is detached,"
                            + " concurrently) needs a second connection beside the transaction whose turn it is, and the"
                            + " DataSource of the database at " + failures.database() + " gave none: " + e.getMessage()
                            + ". Usual cause: a pool of one connection. Give migrationDataSource(…) one of two or more, or"
                            + " one without a pool. What was done before stays, and is gone on with.",
                    e);
        }
    }

    private static void rollback(Connection connection, Throwable why) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("rollback");
        } catch (SQLException lost) {
            why.addSuppressed(lost);
        }
    }

    private String obstacle(String what, SQLException e) {
        return switch (SqlState.of(e)) {
            case LOCKED -> "a table is locked by others";
            case AGAIN ->
                "the server rolled it back, as it does to end a deadlock ("
                        + StoreErrors.withoutRow(e).getMessage() + ")";
            case UNAVAILABLE, REFUSED -> throw failures.unavailable(e);
            case UNEXPECTED, NO_PARTITION, OTHER ->
                throw new DurableException(
                        what + ": the database at " + failures.database() + " refused it (SQLSTATE " + e.getSQLState()
                                + "): " + StoreErrors.withoutRow(e).getMessage(),
                        StoreErrors.withoutRow(e));
        };
    }

    private DurableException gaveUp(String what, String obstacle) {
        List<String> holders = holders();
        return new DurableException(what + ": not within " + patience + ", as " + obstacle + " in the database at "
                + failures.database()
                + ". Nothing of this step was done. Usual cause: a transaction that was left open, a"
                + " long report, or a dump."
                + (holders.isEmpty()
                        ? ""
                        : " The oldest transactions that hold tables of schema " + schema.quoted() + " are "
                                + String.join("; ", holders) + ".")
                + " Wait for it to end or end it (select pg_terminate_backend(pid)), then try again.");
    }

    /** The sessions that hold the table, as far as this user may see them. */
    private List<String> holders() {
        try (PooledConnection borrowed = PooledConnection.from(owner);
                Statement statement = borrowed.connection().createStatement()) {
            return SearchPath.around(
                    borrowed.connection(), unused -> strings(statement, """
                    select format('pid %%s of %%s (%%s) since %%s: %%s', a.pid, a.usename,
                                  coalesce(nullif(a.application_name, ''), 'no application name'),
                                  to_char(a.xact_start, 'HH24:MI:SS'), left(regexp_replace(a.query, '[[:space:]]+', ' ', 'g'), 80))
                      from pg_stat_activity a
                     where a.pid <> pg_backend_pid() and exists (
                           select from pg_locks l join pg_class c on c.oid = l.relation
                            where l.pid = a.pid and l.granted and l.database = a.datid
                              and c.relnamespace = to_regnamespace('%s'))
                     order by a.xact_start limit 3""".formatted(schema.quoted())));
        } catch (SQLException e) {
            log.debug("the sessions that hold the tables are not known: {}", e.getMessage());
            return List.of();
        }
    }

    /** Waits for a random time, longer from attempt to attempt, up to two seconds. */
    private static void pause(int attempt) {
        long most = FIRST_PAUSE_NANOS << Math.min(attempt, DOUBLINGS);
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(most / 2, most));
    }

    /** The first column of each row. */
    public static List<String> strings(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    @FunctionalInterface
    public interface Work {
        void in(Statement statement) throws SQLException;
    }
}
