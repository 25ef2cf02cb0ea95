package dev.durable.store.postgres;

import dev.durable.DurableException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes tables so that nobody waits long for it. A statement that waits for a table holds up all who come after it: so a
 * transaction waits for {@value #LOCK_TIMEOUT_MILLIS} ms, less than any statement of the engine's, is rolled back, and comes
 * again after a pause, until its patience is over.
 *
 * <p>Of several processes one has its turn, by an advisory lock of its transaction. It is tried and never waited for: a
 * statement that waits has a snapshot, for which a concurrent build in the other process would wait. Nothing is left in the
 * session, so a pooler in transaction mode is fine; only {@link #alone} needs a direct connection.
 */
final class Ddl {
    /** How long a change is tried again. A reader that holds its table longer than that has to be ended by somebody. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Logger log = LoggerFactory.getLogger(Ddl.class);
    private static final int LOCK_TIMEOUT_MILLIS = 50;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int DOUBLINGS = 3;

    private final DataSource owner;
    private final SchemaName schema;
    private final Failures failures;
    private final Duration patience;

    Ddl(DataSource owner, SchemaName schema, Failures failures, Duration patience) {
        this.owner = owner;
        this.schema = schema;
        this.failures = failures;
        this.patience = patience;
    }

    /** Does the work in a transaction; it may be run again. */
    void transaction(String what, Work work) {
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
     * Runs a statement that must not be in a transaction, on a connection of its own beside the transaction whose turn it
     * is. Nobody waits behind such a statement, so it waits for others as long as its patience lasts.
     *
     * @param turn the statement of that transaction
     */
    void alone(Statement turn, String sql) throws SQLException {
        // A query's portal keeps its snapshot until the next statement; this one has none, so nobody waits for it.
        turn.execute("set local statement_timeout = 0");
        try (Borrowed borrowed = Borrowed.from(owner);
                Statement statement = borrowed.connection().createStatement()) {
            List<String> before = strings(statement, """
                    select current_setting('lock_timeout') union all select current_setting('statement_timeout')""");
            timeouts(statement, Long.toString(patience.toMillis()), "0");
            try {
                statement.execute(sql);
            } finally {
                timeouts(statement, before.get(0), before.get(1));
            }
        }
    }

    private static void timeouts(Statement statement, String lock, String whole) throws SQLException {
        statement.execute("select set_config('lock_timeout', '" + lock + "', false), set_config('statement_timeout', '"
                + whole + "', false)");
    }

    /** Gives whether it was this process's turn. */
    private boolean isDone(Work work) throws SQLException {
        try (Borrowed borrowed = borrow();
                Statement statement = borrowed.connection().createStatement()) {
            statement.execute("begin isolation level read committed");
            try {
                statement.execute("select set_config('lock_timeout', '" + LOCK_TIMEOUT_MILLIS + "', true),"
                        + " set_config('statement_timeout', '0', true),"
                        + " set_config('idle_in_transaction_session_timeout', '0', true),"
                        + " set_config('search_path', '" + schema.quoted() + "', true)");
                boolean turn = !strings(
                                statement,
                                "select 1 where pg_try_advisory_xact_lock(hashtextextended(" + "'durable ddl "
                                        + schema.value() + "', 0))")
                        .isEmpty();
                if (turn) {
                    work.in(statement);
                }
                statement.execute("commit");
                return turn;
            } catch (SQLException | RuntimeException | Error e) {
                rollback(borrowed.connection(), e);
                throw e;
            }
        }
    }

    private Borrowed borrow() {
        try {
            return Borrowed.from(owner);
        } catch (SQLException e) {
            throw failures.unavailable(e);
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
                "the server rolled it back for somebody else's sake ("
                        + Failures.withoutRow(e).getMessage() + ")";
            case UNAVAILABLE, REFUSED -> throw failures.unavailable(e);
            default ->
                throw new DurableException(
                        what + ": the database at " + failures.database() + " refused it (SQLSTATE " + e.getSQLState()
                                + "): " + Failures.withoutRow(e).getMessage(),
                        Failures.withoutRow(e));
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

    /** Who they are, as far as this user may see it. */
    private List<String> holders() {
        try (Borrowed borrowed = Borrowed.from(owner);
                Statement statement = borrowed.connection().createStatement()) {
            return strings(statement, """
                    select format('pid %%s of %%s (%%s) since %%s: %%s', a.pid, a.usename,
                                  coalesce(nullif(a.application_name, ''), 'no application name'),
                                  to_char(a.xact_start, 'HH24:MI:SS'), left(regexp_replace(a.query, '\\s+', ' ', 'g'), 80))
                      from pg_stat_activity a
                     where a.pid <> pg_backend_pid() and exists (
                           select from pg_locks l join pg_class c on c.oid = l.relation
                            where l.pid = a.pid and l.granted and l.database = a.datid
                              and c.relnamespace = to_regnamespace('%s'))
                     order by a.xact_start limit 3""".formatted(schema.quoted()));
        } catch (SQLException e) {
            log.debug("who holds the tables is not known: {}", e.getMessage());
            return List.of();
        }
    }

    /** Of random length: longer from attempt to attempt, up to two seconds. */
    private static void pause(int attempt) {
        long most = FIRST_PAUSE_NANOS << Math.min(attempt, DOUBLINGS);
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(most / 2, most));
    }

    /** The first column of each row. */
    static List<String> strings(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    interface Work {
        void in(Statement statement) throws SQLException;
    }
}
