package dev.durable.store.postgres.internal.transaction;

import dev.durable.UsageException;
import dev.durable.store.CallbackState;
import dev.durable.store.CallbackToken;
import dev.durable.store.Delivery;
import dev.durable.store.Joined;
import dev.durable.store.NewRun;
import dev.durable.store.StartOutcome;
import dev.durable.store.postgres.CallerTransactions;
import dev.durable.store.postgres.internal.run.Callbacks;
import dev.durable.store.postgres.internal.run.Starts;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Writes starts and messages inside a transaction of the caller, on the caller's connection.
 *
 * @param connection the connection of the transaction
 * @param transactions calls back after the commit
 */
record JoinedConnection(
        Connection connection, CallerTransactions transactions, Starts starts, Outbox outbox, Callbacks callbacks)
        implements Joined {

    /** Joins a transaction that the caller holds by hand: no callback follows its commit, so polls find its rows. */
    static Joined held(Object transaction, Starts starts, Outbox outbox, Callbacks callbacks, SameDatabase database) {
        if (!(transaction instanceof Connection connection)) {
            throw new IllegalArgumentException(
                    "joining(" + transaction.getClass().getName()
                            + "): a PostgresHistoryStore joins a java.sql.Connection of its own database");
        }
        JoinedConnection joined = new JoinedConnection(connection, HeldByHand.INSTANCE, starts, outbox, callbacks);
        joined.check();
        database.check(connection);
        return joined;
    }

    @Override
    public StartOutcome start(NewRun run) {
        check();
        StartOutcome outcome = starts.startIn(connection, run, transactions);
        if (outcome instanceof StartOutcome.AlreadyOpen open && run.tellsOpenRuns() && run.isOfType(open.type())) {
            outbox.add(connection, run, transactions);
            return new StartOutcome.AlreadyOpen(open.runId(), open.type(), Delivery.Outcome.ACCEPTED);
        }
        return outcome;
    }

    @Override
    public void deliver(Delivery delivery) {
        check();
        outbox.add(connection, delivery, transactions);
    }

    @Override
    public Optional<CallbackState> callback(CallbackToken token, long readTo) {
        return callbacks.stateIn(connection, token, readTo);
    }

    /** Checks the transaction before anything is written. */
    private void check() {
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalArgumentException(
                        "joining(connection): its autocommit is on, so there is no transaction"
                                + " to take part in. Call connection.setAutoCommit(false) first, or leave joining(…) out.");
            }
            if (connection.isReadOnly()) {
                throw new UsageException("the transaction that this call takes part in is read-only, so nothing was"
                        + " written. Usual cause: @Transactional(readOnly = true) at the method that calls, or at one that"
                        + " calls it, or connection.setReadOnly(true). Take that away, or call through"
                        + " client.independent(), which stays out of the transaction.");
            }
        } catch (SQLException e) {
            throw new IllegalArgumentException("joining(connection): it is closed or broken: " + e.getMessage(), e);
        }
    }

    private enum HeldByHand implements CallerTransactions {
        INSTANCE;

        @Override
        public Optional<Connection> current() {
            return Optional.empty();
        }

        @Override
        public void afterCommit(Runnable action) {}

        @Override
        public boolean tellsOfCommits() {
            return false;
        }
    }
}
