package dev.durable.store.postgres.internal.transaction;

import dev.durable.UsageException;
import dev.durable.store.Joined;
import dev.durable.store.postgres.CallerTransactions;
import dev.durable.store.postgres.internal.run.Callbacks;
import dev.durable.store.postgres.internal.run.Starts;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the transaction that a caller has open on this database, for starts and messages to take part in.
 *
 * @param known finders of the current thread's transaction; the first that finds one counts
 * @param database checks whether a connection that a caller holds belongs to it
 */
public record JoinedTransactions(
        List<CallerTransactions> known, Starts starts, Outbox outbox, Callbacks callbacks, SameDatabase database) {

    public Optional<Joined> current() {
        return known.stream().flatMap(this::in).findFirst();
    }

    private Stream<Joined> in(CallerTransactions transactions) {
        Optional<Connection> found = transactions.current();
        if (transactions.mayBeElsewhere()) {
            found.ifPresent(this::refuseOthers);
        }
        return found.stream()
                .map(connection -> new JoinedConnection(connection, transactions, starts, outbox, callbacks));
    }

    private void refuseOthers(Connection connection) {
        try {
            database.check(connection);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "the transaction on this thread is in another database than Durable's, so a call can't take part in it."
                            + " Nothing was written. Usual cause: a DataSource that routes by a key, and a key that leads"
                            + " elsewhere. Call through client.independent(), which stays out of the transaction, or without"
                            + " that key.",
                    e);
        }
    }

    /** A transaction that the caller holds by hand. */
    public Joined held(Object transaction) {
        return JoinedConnection.held(transaction, starts, outbox, callbacks, database);
    }
}
