package dev.durable.store.postgres;

import dev.durable.store.CommitUnknownException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
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
    private volatile Tx.TimeSeen timeSeen = (time, roundTrip) -> {};
    private volatile Predicate<SQLException> partitions = missing -> false;

    Connections(DataSource dataSource, SchemaName schema, Failures failures) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.failures = failures;
    }

    /** Who learns the server's time, which comes with each transaction. */
    void onTime(Tx.TimeSeen observer) {
        timeSeen = observer;
    }

    /** Who makes the partition that was missing, and says whether there is one now. */
    void onMissingPartition(Predicate<SQLException> maker) {
        partitions = maker;
    }

    SchemaName schema() {
        return schema;
    }

    Failures failures() {
        return failures;
    }

    /** As {@link #transaction}, for work that only reads: whenever the connection is lost, nothing happened. */
    <T> T read(Locks locks, Work<T> work) {
        try {
            return transaction(locks, work);
        } catch (CommitUnknownException e) {
            throw e.getCause() instanceof SQLException lost ? failures.unavailable(lost) : e;
        }
    }

    /** Does the work in one transaction and commits it. The work may be run again. */
    <T> T transaction(Locks locks, Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                return attempt(locks, work);
            } catch (SQLException e) {
                if (SqlState.of(e) != SqlState.AGAIN || attempt == ATTEMPTS) {
                    throw failures.of(e);
                }
                log.debug("rolled back by the server, attempt {}: {}", attempt, e.getMessage());
                pause(attempt);
            }
        }
    }

    /**
     * As {@link #transaction}, but once, and once more where the history had no partition and has one now; what the server
     * refuses comes as it is, lost connections are translated.
     */
    <T> T attempt(Locks locks, Work<T> work) throws SQLException {
        return attempt(locks, null, work);
    }

    /** As {@link #attempt(Locks, Work)}, with nudges behind the COMMIT: an error of theirs leaves open what became of it. */
    <T> T attempt(Locks locks, @Nullable NudgePassage passage, Work<T> work) throws SQLException {
        try {
            return once(locks, passage, work);
        } catch (SQLException e) {
            if (SqlState.of(e) == SqlState.NO_PARTITION && partitions.test(e)) {
                return once(locks, passage, work);
            }
            throw e;
        }
    }

    private <T> T once(Locks locks, @Nullable NudgePassage passage, Work<T> work) throws SQLException {
        try (Borrowed borrowed = borrow()) {
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
            return work.in(Tx.ofCaller(connection, schema));
        } catch (SQLException e) {
            throw SqlState.of(e) == SqlState.NO_PARTITION && partitions.test(e)
                    ? failures.partitionMade(e)
                    : failures.ofCaller(e);
        }
    }

    /** A short random wait, longer with each attempt, so that those who collided do not meet again. */
    static void pause(int attempt) {
        long bound = TimeUnit.MILLISECONDS.toNanos(2L << Math.min(attempt, 5));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(bound / 4, bound));
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

    /** What is done in a transaction. */
    @FunctionalInterface
    interface Work<T> {
        T in(Tx tx) throws SQLException;
    }
}
