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
 * Runs transactions on connections of the user's pool, with retries and a clear outcome for each kind of error. Nothing
 * is left open over a return.
 *
 * <p>What the server rolled back for somebody else's sake is tried again here, a few times. A connection lost before
 * COMMIT was sent did nothing, and a server that refuses work, or to begin at all, says that nothing happened ({@link
 * StoreOutageException}): no fault of what was to be written. Lost after that it may have, as when what followed the COMMIT
 * failed ({@link CommitUnknownException}).
 *
 * <p>Where one connection was lost others of the pool may be, too, and pools hand out without a look what was used just
 * now: for a second after a loss each connection is asked once whether it answers before it is used.
 */
public final class Connections {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);
    private static final int ATTEMPTS = 6;
    /** Longer than pools trust a connection that they got back: half a second, of Hikari. */
    private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Dead connections that are passed over, before one is used as it is. */
    private static final int MOST_DEAD = 100;

    private final DataSource dataSource;
    private final SchemaName schema;
    private final StoreErrors failures;
    private final Guard guard;
    private final boolean readOnly;
    /** When a connection was lost the last time, on the monotonic clock. */
    private volatile long lostAt = System.nanoTime() - DOUBT_NANOS;
    /** Those that have answered since. */
    private final Set<Connection> alive = ConcurrentHashMap.newKeySet();

    private volatile Predicate<SQLException> partitions = missing -> false;

    private volatile Check readCheck = connection -> {};

    private volatile Tx.TimeSeen timeSeen = (time, roundTrip) -> {};
    private final Reach reach = new Reach(System::nanoTime);

    /** What a transaction is for: who may do it in a schema that is another installation's, and whether it may write. */
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

    /** Connections to a replica, whose transactions say that they only read. */
    public static Connections reading(DataSource replica, SchemaName schema, StoreErrors failures, Guard guard) {
        return new Connections(replica, schema, failures, guard, true);
    }

    /** What keeps transactions from happening now, as the last one has met it; empty where that one happened. */
    public Optional<String> trouble() {
        return reach.trouble();
    }

    /** For how long no transaction has happened, though some were tried; zero while they happen. */
    public Duration troubledFor() {
        return reach.lasts();
    }

    /** Receives the server's time, which comes with each transaction. */
    public void onTime(Tx.TimeSeen observer) {
        timeSeen = observer;
    }

    /** Checked before each transaction; may refuse it. */
    public void onRead(Check check) {
        readCheck = check;
    }

    /** Creates a missing partition and returns whether there is one now. */
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
     * As {@link #transaction}, for work that only reads: whenever the connection is lost, nothing happened. Also in a schema
     * that is another installation's.
     */
    public <T> T read(TransactionSettings locks, Work<T> work) {
        return read(locks, work, Use.READING);
    }

    /** As {@link #read}, in this process's own schema only: what another one says would be taken for what happened here. */
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

    /** As {@link #transaction}, also in a schema that is another installation's. */
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
     * As {@link #transaction}, but once, and once more where the history had no partition and has one now; what the server
     * refuses comes as it is, lost connections are translated.
     */
    public <T> T attempt(TransactionSettings locks, Work<T> work) throws SQLException {
        return attempt(locks, null, work);
    }

    /** As {@link #attempt(TransactionSettings, Work)}, with nudges behind the COMMIT: an error of theirs leaves open what became of it. */
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

    /** Who has that locked is in nobody's way in particular: no batch is to be taken apart for it. */
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
     * Writes a batch in one transaction. Where a lock is in the way, or the server rolled it back for somebody else's sake,
     * in halves, until those that are locked stand alone; gives these, which are not written.
     *
     * @param row which row an item needs
     * @param patience how long the whole, and its parts, wait for a lock
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

    /** As {@link #inParts}, from where the whole has met a lock or a rollback. */
    public <T> List<T> inHalves(SqlState why, List<T> items, Function<T, Object> row, BatchHalving.Part<T> half) {
        try {
            return new BatchHalving<>(row, half).write(items, why);
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    /**
     * Does the work inside a transaction of the caller's, and neither begins nor ends it. What fails has spoilt that
     * transaction.
     */
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

    /** A short random wait, longer with each attempt, so that those who collided do not meet again. */
    public static void pause(int attempt) {
        long bound = TimeUnit.MILLISECONDS.toNanos(2L << Math.min(attempt, 5));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(bound / 4, bound));
    }

    /** Whether the schema that this connection reaches is this process's own, before it writes there. */
    public void check(Connection connection) {
        try {
            guard.check(connection);
        } catch (SQLException e) {
            throw failures.of(e);
        }
    }

    /** Asks on a connection of the pool, outside of any transaction. */
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

    /** Writes items in one transaction that waits so long for locks. */
    @FunctionalInterface
    public interface Part<T> {
        void write(TransactionSettings locks, List<T> items) throws SQLException;
    }

    /** What is asked on a connection. */
    @FunctionalInterface
    public interface Question<T> {
        T of(Connection connection) throws SQLException;
    }

    /** Looks at a connection before it is used. */
    @FunctionalInterface
    public interface Check {
        /**
         * Looks.
         *
         * @throws dev.durable.DurableException where it must not be used
         */
        void of(Connection connection) throws SQLException;
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T in(Tx tx) throws SQLException;
    }
}
