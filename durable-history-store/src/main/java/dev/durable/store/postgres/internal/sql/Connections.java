package dev.durable.store.postgres.internal.sql;

import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.StoreOutageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jooq.exception.DataAccessException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs transactions on connections of the user's pool, with retries and a clear outcome for each kind of error. No
 * transaction stays open after a call returns.
 *
 * <p>A transaction that the server rolled back as the victim of others (a deadlock, say) is tried again here, a few
 * times. If the connection is lost before COMMIT was sent, or the server refuses work or connections, nothing happened,
 * and the rows to be written are not at fault ({@link StoreOutageException}). If it is lost after that, or the
 * statement behind the COMMIT failed, the commit may have happened ({@link CommitUnknownException}).
 *
 * <p>If one connection was lost, others of the pool may be lost, too, and pools hand out recently used connections
 * without a check. So for a second after a loss each connection is tested once before it is used.
 */
public final class Connections {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);
    private static final int ATTEMPTS = 6;
    /**
     * How long connections are tested after a loss: longer than pools trust a connection that was returned, which is
     * half a second with Hikari.
     */
    private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The number of dead connections that are skipped before one is used without a test. */
    private static final int MOST_DEAD = 100;

    private final DataSource dataSource;
    private final SchemaName schema;
    private final StoreErrors failures;
    private final Guard guard;
    private final boolean readOnly;
    /** When a connection was lost the last time, on the monotonic clock. */
    private volatile long lostAt = System.nanoTime() - DOUBT_NANOS;
    /** The connections that have answered since then. */
    private final Set<Connection> alive = ConcurrentHashMap.newKeySet();

    private volatile Predicate<SQLException> partitions = missing -> false;

    private volatile Check readCheck = connection -> {};

    private volatile Tx.TimeSeen timeSeen = (time, roundTrip) -> {};
    private final Reach reach = new Reach(System::nanoTime);

    /**
     * The purpose of a transaction: whether it may be done in a schema that is another installation's, and whether it
     * may write.
     */
    private enum Use {
        READING,
        READING_OWN,
        WRITING,
        WRITING_ANYWHERE;

        boolean asksWhose() {
            return this == READING_OWN || this == WRITING;
        }

        boolean writes() {
            return this == WRITING || this == WRITING_ANYWHERE;
        }
    }

    public Connections(DataSource dataSource, SchemaName schema, StoreErrors failures, Guard guard) {
        this(dataSource, schema, failures, guard, false);
    }

    private Connections(DataSource dataSource, SchemaName schema, StoreErrors failures, Guard guard, boolean readOnly) {
        this.guard = guard;
        this.dataSource = dataSource;
        this.schema = schema;
        this.failures = failures;
        this.readOnly = readOnly;
    }

    /** Connections to a replica, whose transactions are read-only. */
    public static Connections reading(DataSource replica, SchemaName schema, StoreErrors failures, Guard guard) {
        return new Connections(replica, schema, failures, guard, true);
    }

    /** The problem that the last transaction has met; empty if it happened. */
    public Optional<String> trouble() {
        return reach.trouble();
    }

    /** How long no transaction has happened, though some were tried; zero while they happen. */
    public Duration troubledFor() {
        return reach.lasts();
    }

    /** Sets the receiver of the server's time, which comes with each transaction. */
    public void onTime(Tx.TimeSeen observer) {
        timeSeen = observer;
    }

    /** Sets a check that is run in each transaction before its work, and may refuse it. */
    public void onRead(Check check) {
        readCheck = check;
    }

    /** Sets the function that creates a missing partition and returns whether there is one now. */
    public void onMissingPartition(Predicate<SQLException> maker) {
        partitions = maker;
    }

    public SchemaName schema() {
        return schema;
    }

    public StoreErrors failures() {
        return failures;
    }

    /**
     * As {@link #transaction}, for work that only reads: whenever the connection is lost, nothing happened. It may be
     * done in a schema that is another installation's, too.
     */
    public <T> T read(TransactionSettings locks, Work<T> work) {
        return read(locks, work, Use.READING);
    }

    /**
     * As {@link #read}, in this process's own schema only: the answers of another one would be taken for the state of
     * this one.
     */
    public <T> T readOwn(TransactionSettings locks, Work<T> work) {
        return read(locks, work, Use.READING_OWN);
    }

    private <T> T read(TransactionSettings locks, Work<T> work, Use use) {
        for (int attempt = 1; ; attempt++) {
            try {
                return transaction(locks, work, use);
            } catch (CommitUnknownException e) {
                if (attempt == ATTEMPTS || !(e.getCause() instanceof SQLException)) {
                    throw e.getCause() instanceof SQLException lost ? failures.lost(lost) : e;
                }
                pause(attempt);
            }
        }
    }

    /** Does the work in one transaction and commits it. The work may be run again. */
    public <T> T transaction(TransactionSettings locks, Work<T> work) {
        return transaction(locks, work, Use.WRITING);
    }

    /** As {@link #transaction}, but allowed in a schema that is another installation's. */
    public <T> T unguarded(TransactionSettings locks, Work<T> work) {
        return transaction(locks, work, Use.WRITING_ANYWHERE);
    }

    private <T> T transaction(TransactionSettings locks, Work<T> work, Use use) {
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(locks, null, work, use);
            } catch (SQLException e) {
                if (SqlState.of(e) != SqlState.AGAIN || attempt == ATTEMPTS) {
                    throw failures.of(e);
                }
                log.debug(
                        "rolled back by the server, attempt {}: {}",
                        attempt,
                        StoreErrors.withoutRow(e).getMessage());
            } catch (StoreOutageException e) {
                if (!e.isOneConnections() || attempt == ATTEMPTS) {
                    throw e;
                }
                log.debug("a connection was lost, attempt {}: {}", attempt, e.getMessage());
            }
            pause(attempt);
        }
    }

    /**
     * As {@link #transaction}, but tried only once, and once more if the history had no partition and has one now.
     * Errors of the server are thrown as they are, lost connections are translated.
     */
    public <T> T attempt(TransactionSettings locks, Work<T> work) throws SQLException {
        return attempt(locks, null, work);
    }

    /**
     * As {@link #attempt(TransactionSettings, Work)}, with nudges behind the COMMIT: an error of theirs leaves open
     * whether the transaction happened.
     */
    public <T> T attempt(TransactionSettings locks, @Nullable NudgePassage passage, Work<T> work) throws SQLException {
        return attempt(locks, passage, work, Use.WRITING);
    }

    private <T> T attempt(TransactionSettings locks, @Nullable NudgePassage passage, Work<T> work, Use use)
            throws SQLException {
        try {
            return once(locks, passage, work, use);
        } catch (SQLException e) {
            if (SqlState.of(e) == SqlState.NO_PARTITION && partitions.test(e)) {
                return once(locks, passage, work, use);
            }
            throw e;
        }
    }

    private <T> T once(TransactionSettings locks, @Nullable NudgePassage passage, Work<T> work, Use use)
            throws SQLException {
        try (PooledConnection borrowed = borrow()) {
            Connection connection = borrowed.connection();
            Tx tx = readOnly
                    ? Tx.reading(connection, schema, locks)
                    : new Tx(connection, schema, locks, timeSeen, passage);
            try {
                readCheck.of(connection);
                if (use.asksWhose()) {
                    askWhose(connection);
                }
                T result = work.in(tx);
                tx.commit();
                reach.happened(use.writes());
                tx.tellPassage(NudgePassage::arrive);
                return result;
            } catch (SQLException e) {
                throw afterRollback(tx, e);
            } catch (DataAccessException e) {
                SQLException cause = e.getCause(SQLException.class);
                throw afterRollback(tx, cause == null ? new SQLException(e) : cause);
            } catch (RuntimeException | Error e) {
                rollback(tx, e);
                throw e;
            }
        }
    }

    /**
     * Asks whose schema it is. If a lock is in the way of that, the batch is not to be split for it, as no single item
     * is the cause.
     */
    private void askWhose(Connection connection) throws SQLException {
        try {
            guard.check(connection);
        } catch (SQLException e) {
            if (SqlState.of(e) == SqlState.LOCKED) {
                throw failures.of(e);
            }
            throw e;
        }
    }

    /**
     * Writes a batch in one transaction. If it meets a lock, or the server rolls it back as the victim of others, it
     * writes halves, until the locked items stand alone; it returns these, which are not written.
     *
     * @param row the row that an item needs
     * @param patience how long the whole batch, and its parts, wait for a lock
     * @param part writes items in one transaction; called for the whole, then for parts of it
     */
    public <T> List<T> inParts(List<T> items, Function<T, Object> row, LockPatience patience, Part<T> part) {
        try {
            part.write(patience.first(), items);
            return List.of();
        } catch (SQLException e) {
            return switch (SqlState.of(e)) {
                case LOCKED, AGAIN -> inHalves(SqlState.of(e), items, row, half -> part.write(patience.parts(), half));
                case UNEXPECTED, NO_PARTITION, UNAVAILABLE, REFUSED, OTHER -> throw failures.of(e);
            };
        }
    }

    /** As {@link #inParts}, after the whole batch has met a lock or a rollback. */
    public <T> List<T> inHalves(SqlState why, List<T> items, Function<T, Object> row, BatchHalving.Part<T> half) {
        try {
            return new BatchHalving<>(row, half).write(items, why);
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    /** Does the work inside a transaction of the caller's without ending it. An error has aborted that transaction. */
    public <T> T in(Connection connection, Work<T> work) {
        try {
            guard.check(connection);
            return work.in(Tx.ofCaller(connection, schema));
        } catch (SQLException e) {
            throw SqlState.of(e) == SqlState.NO_PARTITION && partitions.test(e)
                    ? failures.partitionMade(e)
                    : failures.ofCaller(e);
        }
    }

    /** Waits a short random time, longer with each attempt, so that colliding transactions do not collide again. */
    public static void pause(int attempt) {
        long bound = TimeUnit.MILLISECONDS.toNanos(2L << Math.min(attempt, 5));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(bound / 4, bound));
    }

    /** Checks that the schema that this connection reaches is this process's own, before the caller writes there. */
    public void check(Connection connection) {
        try {
            guard.check(connection);
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    /** Asks a question on a connection of the pool, outside of any transaction. */
    public <T> T ask(Question<T> question) {
        try (PooledConnection borrowed = borrow()) {
            T answer = question.of(borrowed.connection());
            reach.happened(false);
            return answer;
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    private PooledConnection borrow() {
        reach.waits();
        try {
            for (int dead = 0; ; dead++) {
                PooledConnection borrowed = PooledConnection.from(dataSource);
                reach.connected();
                if (dead == MOST_DEAD || !isDoubtful(borrowed) || borrowed.answers()) {
                    return borrowed;
                }
            }
        } catch (SQLException e) {
            throw reach.met(failures.unavailable(e), false);
        }
    }

    private boolean isDoubtful(PooledConnection borrowed) throws SQLException {
        if (System.nanoTime() - lostAt < DOUBT_NANOS) {
            return alive.add(borrowed.connection().unwrap(BaseConnection.class));
        }
        if (!alive.isEmpty()) {
            alive.clear();
        }
        return false;
    }

    private SQLException afterRollback(Tx tx, SQLException e) {
        boolean inDoubt = tx.isInDoubt();
        boolean notBegun = tx.isNotBegun(e);
        rollback(tx, e);
        if (SqlState.of(e) == SqlState.UNAVAILABLE) {
            alive.clear();
            lostAt = System.nanoTime();
            StoreUnavailableException lost = reach.met(failures.lost(e), false);
            throw tx.committing() ? failures.commitUnknown(e) : lost;
        }
        if (inDoubt) {
            tx.tellPassage(failed -> failed.fail(e));
            throw failures.unclear(e);
        }
        if (SqlState.of(e) == SqlState.REFUSED) {
            throw reach.met(failures.refused(e), SqlState.isReadOnly(e));
        }
        if (notBegun) {
            throw reach.met(failures.notBegun(e), true);
        }
        return e;
    }

    private static void rollback(Tx tx, Throwable why) {
        try {
            tx.rollback();
        } catch (SQLException lost) {
            why.addSuppressed(lost);
        }
    }

    /** Writes items in one transaction with these lock timeouts. */
    @FunctionalInterface
    public interface Part<T> {
        void write(TransactionSettings locks, List<T> items) throws SQLException;
    }

    /** A question that is asked on a connection. */
    @FunctionalInterface
    public interface Question<T> {
        T of(Connection connection) throws SQLException;
    }

    /** Checks a connection before it is used. */
    @FunctionalInterface
    public interface Check {
        /**
         * Checks the connection.
         *
         * @throws dev.durable.DurableException if it must not be used
         */
        void of(Connection connection) throws SQLException;
    }

    @FunctionalInterface
    public interface Work<T> {
        T in(Tx tx) throws SQLException;
    }
}
