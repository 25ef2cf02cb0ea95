package dev.durable.store.postgres.internal.transaction;

import dev.durable.DurableException;
import dev.durable.NonRetryableException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.text.Thrown;
import dev.durable.store.TransactionalActivities;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.Param;
import dev.durable.store.postgres.internal.sql.SqlScript;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.sql.TimeColumns;
import dev.durable.store.postgres.internal.sql.TransactionSettings;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transaction of an activity's body, while the body runs; the thread that ends the attempt can act on it from
 * outside. A thread that waits for the server does not hear its interrupt, and the locks of the transaction would keep
 * the next attempt out.
 *
 * <pre>
 *   begun, statements and silences bounded ─► body ─► over: the connection is not used any more
 *                                              ├── prolong: the bounds are wider from the next statement on
 *                                              ├── cancel: the statement under way fails, by the driver, without another connection
 *                                              └── end: the server ends the backend, if it still is in this transaction
 * </pre>
 *
 * <p>The backend is known by its pid and the start of its transaction: pids are reused, and a pooler may give the
 * backend to other clients.
 */
final class BodyTransaction implements TransactionalActivities.Transaction, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BodyTransaction.class);
    /** The errors of a time limit or lock timeout of the body's own, which may not come again. */
    private static final Set<String> OF_A_MOMENT = Set.of("57014", "55P03");

    private static final Duration MARGIN = Duration.ofMinutes(1);
    /** The longest bound: it fits into the setting, and is longer than any wait. */
    private static final Duration LONGEST = Duration.ofDays(20);

    /**
     * Begins the transaction and bounds statements and silences, as a silent body keeps its locks, too. Bounds that the
     * pool has set stay if they are shorter.
     */
    private static final String BEGIN = """
            select pg_backend_pid() as pid, transaction_timestamp() as began,
                   current_setting('transaction_read_only')::boolean as read_only,
                   set_config('statement_timeout', case when s.ms > 0 and s.ms < t.ms then s.ms else t.ms end::text, true),
                   set_config('idle_in_transaction_session_timeout',
                       case when i.ms > 0 and i.ms < t.ms then i.ms else t.ms end::text, true)
              from (select (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::bigint as ms) s,
                   (select (extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval) * 1000)::bigint
                        as ms) i,
                   (select ?::bigint as ms) t""";

    /**
     * Widens the bound of statements. A bound that the pool or the body itself has set stays: only the one of before is
     * replaced.
     */
    private static final String PROLONG = """
            select case when s.statement operator(pg_catalog.=) ? then pg_catalog.set_config('statement_timeout', ?, true) end,
                   case when s.silence operator(pg_catalog.=) ?
                        then pg_catalog.set_config('idle_in_transaction_session_timeout', ?, true) end
              from (select (extract(epoch from pg_catalog.current_setting('statement_timeout')::pg_catalog.interval)
                            operator(pg_catalog.*) 1000)::bigint as statement,
                           (extract(epoch from pg_catalog.current_setting('idle_in_transaction_session_timeout')
                            ::pg_catalog.interval) operator(pg_catalog.*) 1000)::bigint as silence) s""";

    private static final String END = """
            select pg_terminate_backend(a.pid) from pg_stat_activity a where a.pid = ? and a.xact_start = ?::timestamptz""";

    private final Connection connection;
    private final Connection ofBody;
    private final Connections connections;
    private final int pid;
    private final Instant began;
    private final ReentrantLock lock = new ReentrantLock();
    private final BodyWitness witness = new BodyWitness();
    private final BaseConnection server;
    private final SessionSettings settings;
    /** Held while the bound is changed, which may wait for a statement; it is not the lock that a cancel needs. */
    private final ReentrantLock bounding = new ReentrantLock();

    private volatile boolean over;
    private long boundMillis;

    private BodyTransaction(
            Connection connection,
            Connections connections,
            SessionSettings settings,
            int pid,
            Instant began,
            long boundMillis)
            throws SQLException {
        this.connection = connection;
        this.server = connection.unwrap(BaseConnection.class);
        this.settings = settings;
        this.ofBody = BodyConnection.over(connection, witness);
        this.connections = connections;
        this.pid = pid;
        this.began = began;
        this.boundMillis = boundMillis;
    }

    /**
     *
     * @throws StoreUnavailableException if it can't be begun or can't be written in
     */
    static BodyTransaction on(Connection connection, Duration left, Connections connections) {
        List<BodyTransaction> begun = new ArrayList<>();
        long bound = bound(left).toMillis();
        SessionSettings settings = new SessionSettings();
        try {
            Tx.ofCaller(connection, connections.schema())
                    .run(settings.readGiven(settings.readBefore(new SqlScript())
                            .read(
                                    BEGIN,
                                    row -> {
                                        if (row.getBoolean("read_only")) {
                                            throw connections.failures().readOnly(null);
                                        }
                                        begun.add(new BodyTransaction(
                                                connection,
                                                connections,
                                                settings,
                                                row.getInt("pid"),
                                                TimeColumns.required(row, "began"),
                                                bound));
                                    },
                                    Param.of(bound))));
            return begun.getFirst();
        } catch (SQLException e) {
            throw connections.failures().unavailable(e);
        }
    }

    /**
     * The server's limit for a statement, and for a silence between two. It is for processes that have died or stand
     * still, as a living one ends the body on time by {@link #cancel} and {@link #end}. It is far longer than the time
     * that is left, because an attempt that gets more time has a wider bound only from the next statement on ({@link
     * #prolong}), and the statement under way keeps the bound with which it began.
     */
    static Duration bound(Duration left) {
        if (left.compareTo(LONGEST) >= 0) {
            return LONGEST;
        }
        Duration most = left.isNegative() ? MARGIN : left.multipliedBy(2).plus(MARGIN);
        return most.compareTo(LONGEST) < 0 ? most : LONGEST;
    }

    private static final String IS_IT =
            "select pg_catalog.transaction_timestamp()" + " operator(pg_catalog.=) ?::pg_catalog.timestamptz as same";

    /**
     * Begins the statements that write the outcome: restores the settings of the session, for the rights of the
     * engine's own statements and for the next user of the connection, and checks that this is the transaction that was
     * begun.
     *
     * @throws NonRetryableException if it is not
     */
    void prepareEnd(Tx tx) throws SQLException {
        List<Boolean> same = new ArrayList<>();
        tx.run(settings.putBack(new SqlScript())
                .read(TransactionSettings.LONG.setup(connections.schema()), row -> {})
                .read(IS_IT, row -> same.add(row.getBoolean("same")), Param.of(began.toString())));
        if (!same.getFirst()) {
            throw endedByBody();
        }
    }

    /**
     * The failure of a body that ended the transaction by a statement. Its writes until then are committed or rolled
     * back, and its settings may stay with the session, so the connection is not used again.
     */
    private NonRetryableException endedByBody() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug(
                    "a connection that is given up was gone: {}",
                    StoreErrors.withoutRow(e).getMessage());
        }
        return new NonRetryableException(
                "the body of this transactional activity has ended its transaction itself, by a statement such as"
                        + " COMMIT, ROLLBACK or COMMIT AND CHAIN: the transaction that it returned in is not the one that it"
                        + " was given. What it wrote before may be committed although the activity is not completed, so it"
                        + " is not tried again: look at what it wrote, then complete or retry it by hand. Take the statement"
                        + " out (also out of procedures and scripts that the body runs); a savepoint undoes a part.");
    }

    /**
     * Checks the transaction of a body that returned no outcome: throws if the body has ended it by a statement, as far
     * as the connection shows, or if it was ended from outside.
     */
    void refuseOtherEnds() {
        try (var question = connection.prepareStatement(IS_IT)) {
            question.setString(1, began.toString());
            try (var row = question.executeQuery()) {
                if (row.next() && !row.getBoolean("same")) {
                    throw endedByBody();
                }
            }
        } catch (SQLException e) {
            SQLException outage = outage(e);
            if (outage != null) {
                throw connections.failures().ofCaller(outage);
            }
        }
    }

    /** The failure for an error of the statements that were to write the outcome. */
    RuntimeException notSettled(SQLException e) {
        if (SqlState.isReadOnly(e)) {
            return new DurableException(
                    "the transaction of this activity can't be written any more, and could when it began: its body, or what it"
                            + " called, has made it read-only (SET TRANSACTION READ ONLY, setReadOnly). Nothing of it was"
                            + " written. Take that out: the activity's completion is written in the same transaction.",
                    e);
        }
        String refused = refusedByDriver();
        if (refused != null) {
            return new DurableException(
                    "the JDBC driver has closed the connection of this transactional activity, as its body, or what it called,"
                            + " has set " + refused
                            + ", with which the driver can't work. Nothing of it was written. Take that"
                            + " out: SET LOCAL would do the same. Format dates by to_char(…), and texts in Java.",
                    e);
        }
        SQLException outage = outage(e);
        if (outage == null && (BodyWitness.hasFailed(e) || hasRaised())) {
            return caught(e);
        }
        return connections.failures().ofCaller(outage == null ? e : outage);
    }

    /**
     * Returns whether a trigger raised the error of the body's statement, because of which the pool may have given the
     * connection up.
     */
    private boolean hasRaised() {
        SQLException seen = witness.last();
        return seen != null && SqlState.isRaised(seen) && BodyWitness.isGone(connection);
    }

    /**
     * The failure of a body that caught an error and went on. It would recur in each attempt, so it is not retried,
     * unless the error was temporary: a time limit or a lock.
     */
    private DurableException caught(SQLException answer) {
        SQLException seen = witness.last();
        SQLException first = StoreErrors.withoutRow(seen == null ? answer : seen);
        String text = "the body of this transactional activity caught a failure of a statement and went on"
                + (seen == null ? "" : " (SQLSTATE " + first.getSQLState() + ": " + first.getMessage() + ")")
                + ". PostgreSQL writes nothing more in a transaction that has failed, so nothing of it was written, and"
                + " the activity is not completed. Let the exception leave the body. To go on after such a failure, run"
                + " the statement behind a savepoint (in Spring @Transactional(propagation = NESTED) by JDBC) or in a"
                + " transaction of its own (REQUIRES_NEW), or write it so that it does not fail (ON CONFLICT DO NOTHING).";
        return seen != null && OF_A_MOMENT.contains(String.valueOf(seen.getSQLState()))
                ? new DurableException(text, first)
                : new NonRetryableException(text + " It is not tried again, as it would meet the same.", first);
    }

    private @Nullable SQLException outage(SQLException answer) {
        return refusedByDriver() == null ? witness.outage(connection, answer) : null;
    }

    /** A setting of the body because of which the driver has closed the connection; null if there is none. */
    private @Nullable String refusedByDriver() {
        String style = String.valueOf(server.getParameterStatus("DateStyle"));
        String encoding = String.valueOf(server.getParameterStatus("client_encoding"));
        try {
            if (!server.isClosed()) {
                return null;
            }
        } catch (SQLException e) {
            return null;
        }
        return !style.startsWith("ISO")
                ? "DateStyle = '" + style + "'"
                : !encoding.equals("UTF8") ? "client_encoding = '" + encoding + "'" : null;
    }

    @Override
    public void threw(Throwable thrown) {
        witness.threw(thrown);
    }

    @Override
    public <T> @Nullable T as(Class<T> type) {
        return type.isInstance(ofBody) ? type.cast(ofBody) : null;
    }

    /** Uses the driver's own connection, so if the body runs a statement, this call waits for its end. */
    @Override
    public void prolong(Duration left) {
        bounding.lock();
        try {
            long longer = bound(left).toMillis();
            if (over || longer <= boundMillis) {
                return;
            }
            Connection own = (Connection) connection.unwrap(PGConnection.class);
            try (PreparedStatement change = own.prepareStatement(PROLONG)) {
                change.setLong(1, boundMillis);
                change.setString(2, Long.toString(longer));
                change.setLong(3, boundMillis);
                change.setString(4, Long.toString(longer));
                change.execute();
            }
            boundMillis = longer;
        } catch (SQLException e) {
            // The transaction has failed, or is over, so it ends anyway.
            log.debug(
                    "a transactional activity keeps its bounds: {}",
                    StoreErrors.withoutRow(e).getMessage());
        } finally {
            bounding.unlock();
        }
    }

    @Override
    public void cancel() {
        lock.lock();
        try {
            // A later cancel would hit the next user of the connection.
            if (!over) {
                connection.unwrap(PGConnection.class).cancelQuery();
            }
        } catch (SQLException e) {
            log.warn("the statement of an activity whose time is over was not cancelled: {}", e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void end() {
        try {
            connections.read(TransactionSettings.SHORT, tx -> {
                tx.last(new SqlScript().read(END, row -> {}, Param.of(pid), Param.of(began.toString())));
                return true;
            });
        } catch (RuntimeException e) {
            log.warn(
                    "the transaction of an activity whose time is over was not ended: {}",
                    Thrown.of(e).words());
        }
    }

    /** Ends the use of the connection, after the body. Waits for a cancel under way, and for a change of its bounds. */
    @Override
    public void close() {
        bounding.lock();
        try {
            markOver();
        } finally {
            bounding.unlock();
        }
    }

    private void markOver() {
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
    }
}
