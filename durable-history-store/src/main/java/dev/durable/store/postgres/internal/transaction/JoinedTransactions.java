package dev.durable.store.postgres.internal.transaction;

import dev.durable.store.Joined;
import dev.durable.store.postgres.CallerTransactions;
import dev.durable.store.postgres.internal.run.Starts;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the transaction that a caller has open on this database, for starts and messages to take part in.
 *
 * @param known where a transaction of the current thread may be; the first that has one counts
 * @param database tells whether a connection that a caller holds is one of it
 */
public record JoinedTransactions(List<CallerTransactions> known, Starts starts, Outbox outbox, SameDatabase database) {

    /** That of the current thread. */
    public Optional<Joined> current() {
        return known.stream().flatMap(this::in).findFirst();
    }

    private Stream<Joined> in(CallerTransactions transactions) {
        return transactions.current().stream()
                .map(connection -> new JoinedConnection(connection, transactions, starts, outbox));
    }

    /** One that the caller holds by hand. */
    public Joined held(Object transaction) {
        return JoinedConnection.held(transaction, starts, outbox, database);
    }
}
