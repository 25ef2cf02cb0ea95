package dev.durable.store.postgres;

import dev.durable.store.CommitUnknownException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.exception.DataAccessException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions on connections of the user's pool. Nothing is left open over a return.
 *
 * <p>What the server rolled back for somebody else's sake is tried again here, a few times. A connection lost before
 * COMMIT was sent did nothing ({@link dev.durable.StoreUnavailableException}); lost after that it may have, as when what
 * followed the COMMIT failed ({@link CommitUnknownException}).
 */
final class Connections {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);
    private static final int ATTEMPTS = 6;

    private final DataSource dataSource;
    private final SchemaName schema;
    private final Failures failures;
    private final Guard guard;
    private volatile Tx.TimeSeen timeSeen = (time, roundTrip) -> {};

    Connections(DataSource dataSource, SchemaName schema, Failures failures, Guard guard) {
        this.guard = guard;
        this.dataSource = dataSource;
        this.schema = schema;
        this.failures = failures;
    }

    /** Who learns the server's time, which comes with each transaction. */
    void onTime(Tx.TimeSeen observer) {
        timeSeen = observer;
    }

    SchemaName schema() {
        return schema;
    }

    Failures failures() {
        return failures;
    }

    /**
     * As {@link #transaction}, for work that only reads: whenever the connection is lost, nothing happened. Also in a schema
     * that is another installation's.
     */
    <T> T read(Locks locks, Work<T> work) {
        return read(locks, work, true);
    }

    /** As {@link #read}, in this process's own schema only: what another one says would be taken for what happened here. */
    <T> T readOwn(Locks locks, Work<T> work) {
        return read(locks, work, false);
    }

    private <T> T read(Locks locks, Work<T> work, boolean anywhere) {
        try {
            return transaction(locks, work, anywhere);
        } catch (CommitUnknownException e) {
            throw e.getCause() instanceof SQLException lost ? failures.unavailable(lost) : e;
        }
    }

    /** Does the work in one transaction and commits it. The work may be run again. */
    <T> T transaction(Locks locks, Work<T> work) {
        return transaction(locks, work, false);
    }

    /** As {@link #transaction}, also in a schema that is another installation's. */
    <T> T unguarded(Locks locks, Work<T> work) {
        return transaction(locks, work, true);
    }

    private <T> T transaction(Locks locks, Work<T> work, boolean anywhere) {
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(locks, null, work, anywhere);
            } catch (SQLException e) {
                if (SqlState.of(e) != SqlState.AGAIN || attempt == ATTEMPTS) {
                    throw failures.of(e);
                }
                log.debug("rolled back by the server, attempt {}: {}", attempt, e.getMessage());
                pause(attempt);
            }
        }
    }

    /** As {@link #transaction}, but once; what the server refuses comes as it is, lost connections are translated. */
    <T> T attempt(Locks locks, Work<T> work) throws SQLException {
        return attempt(locks, null, work);
    }

    /** As {@link #attempt(Locks, Work)}, with nudges behind the COMMIT: an error of theirs leaves open what became of it. */
    <T> T attempt(Locks locks, @Nullable NudgePassage passage, Work<T> work) throws SQLException {
        return attempt(locks, passage, work, false);
    }

    private <T> T attempt(Locks locks, @Nullable NudgePassage passage, Work<T> work, boolean anywhere)
            throws SQLException {
        try (Borrowed borrowed = borrow()) {
            if (!anywhere) {
                check(borrowed.connection());
            }
            Tx tx = new Tx(borrowed.connection(), schema, locks, timeSeen, passage);
            try {
                T result = work.in(tx);
                tx.commit();
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
     * Writes a batch in one transaction. Where a lock is in the way, or the server rolled it back for somebody else's sake,
     * in halves, until those that are locked stand alone; gives these, which are not written.
     *
     * @param row which row an item needs
     * @param patience how long the whole, and its parts, wait for a lock
     * @param part writes items in one transaction; called for the whole, then for parts of it
     */
    <T> List<T> inParts(List<T> items, Function<T, Object> row, Patience patience, Part<T> part) {
        try {
            part.write(patience.first(), items);
            return List.of();
        } catch (SQLException e) {
            return switch (SqlState.of(e)) {
                case LOCKED, AGAIN -> inHalves(SqlState.of(e), items, row, half -> part.write(patience.parts(), half));
                default -> throw failures.of(e);
            };
        }
    }

    /** As {@link #inParts}, from where the whole has met a lock or a rollback. */
    <T> List<T> inHalves(SqlState why, List<T> items, Function<T, Object> row, Halves.Part<T> half) {
        try {
            return new Halves<>(row, half).write(items, why);
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    /**
     * Does the work inside a transaction of the caller's, and neither begins nor ends it. What fails has spoilt that
     * transaction.
     */
    <T> T in(Connection connection, Work<T> work) {
        try {
            guard.check(connection);
            return work.in(Tx.ofCaller(connection, schema));
        } catch (SQLException e) {
            throw failures.ofCaller(e);
        }
    }

    /** A short random wait, longer with each attempt, so that those who collided do not meet again. */
    static void pause(int attempt) {
        long bound = TimeUnit.MILLISECONDS.toNanos(2L << Math.min(attempt, 5));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(bound / 4, bound));
    }

    /** Whether the schema that this connection reaches is this process's own, before it writes there. */
    void check(Connection connection) {
        try {
            guard.check(connection);
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    /** Asks on a connection of the pool, outside of any transaction. */
    <T> T ask(Question<T> question) {
        try (Borrowed borrowed = borrow()) {
            return question.of(borrowed.connection());
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    private Borrowed borrow() {
        try {
            return Borrowed.from(dataSource);
        } catch (SQLException e) {
            throw failures.unavailable(e);
        }
    }

    private SQLException afterRollback(Tx tx, SQLException e) {
        boolean inDoubt = tx.isInDoubt();
        rollback(tx, e);
        if (SqlState.of(e) == SqlState.UNAVAILABLE) {
            throw tx.committing() ? failures.commitUnknown(e) : failures.unavailable(e);
        }
        if (inDoubt) {
            tx.tellPassage(failed -> failed.fail(e));
            throw failures.unclear(e);
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

    /** Writes items in one transaction that waits so long for locks. */
    @FunctionalInterface
    interface Part<T> {
        void write(Locks locks, List<T> items) throws SQLException;
    }

    /** What is asked on a connection. */
    @FunctionalInterface
    interface Question<T> {
        T of(Connection connection) throws SQLException;
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    interface Work<T> {
        T in(Tx tx) throws SQLException;
    }
}
