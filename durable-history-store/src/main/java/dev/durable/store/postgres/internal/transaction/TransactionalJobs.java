package dev.durable.store.postgres.internal.transaction;

import dev.durable.internal.text.Thrown;
import dev.durable.store.BodyRefusedException;
import dev.durable.store.InboxLimit;
import dev.durable.store.JobUpdate;
import dev.durable.store.Nudges;
import dev.durable.store.TransactionalActivities;
import dev.durable.store.postgres.ActivityTransactions;
import dev.durable.store.postgres.internal.job.JobUpdateBatch;
import dev.durable.store.postgres.internal.job.JobUpdates;
import dev.durable.store.postgres.internal.nudge.PendingNudges;
import dev.durable.store.postgres.internal.sql.Connections;
import dev.durable.store.postgres.internal.sql.SqlState;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import dev.durable.store.postgres.internal.sql.Tx;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs transactional activities: the body's writes and the outcome of its job commit together. The last statements of
 * the body's transaction are those of any outcome: the job locked by its lease, then the job deleted and the message
 * inserted.
 *
 * <pre>
 *   begin ─► body's statements ─► messages to its own run ─► lock job by lease ─► delete it, insert outcome ─► COMMIT
 * </pre>
 *
 * <p>The job is locked only then: heartbeats of the body go by other connections, and a long body locks no other
 * transaction out of the job. A process that dies before COMMIT has written nothing; the lock timeouts of the last
 * statements bound how long a process that is paused between them and COMMIT keeps the job.
 *
 * <p>While the body runs its statements, and the silences between them, are bounded in the server by somewhat more than
 * the time that is left to the attempt, so that a process that dies or stands still leaves no lock behind for ever
 * ({@link BodyTransaction}).
 */
public final class TransactionalJobs implements TransactionalActivities {
    private static final Logger log = LoggerFactory.getLogger(TransactionalJobs.class);

    private final Connections connections;
    private final ActivityTransactions transactions;
    private final Nudges nudges;
    private final Messages messages;
    private final int atOnce;

    /**
     * The outbox for messages that bodies send, and the limit of their own runs' inboxes.
     *
     * @param outbox takes the messages first
     * @param inboxLimit the limit of the inboxes of their own runs
     */
    public record Messages(Outbox outbox, InboxLimit inboxLimit) {}

    /**
     *
     * @param atOnce how many connections the bodies may keep at once
     */
    public TransactionalJobs(
            Connections connections, ActivityTransactions transactions, Nudges nudges, Messages messages, int atOnce) {
        this.connections = connections;
        this.transactions = transactions;
        this.nudges = nudges;
        this.messages = messages;
        this.atOnce = atOnce;
    }

    @Override
    public int atOnce() {
        return atOnce;
    }

    @Override
    public Outcome run(Duration left, Body body) {
        Attempt attempt = new Attempt(left, body);
        try {
            transactions.run(attempt);
        } catch (RuntimeException | Error e) {
            attempt.after(e);
        }
        // Only now, as the rows that the nudges announce must be committed.
        attempt.hints.sendTo(nudges);
        return attempt.outcome;
    }

    private final class Attempt implements ActivityTransactions.Work {
        private final Duration left;
        private final Body body;
        private final PendingNudges hints = new PendingNudges();
        private final List<OwnRunMessages.Sent> sent = new ArrayList<>();
        private Outcome outcome = Outcome.ROLLED_BACK;
        private boolean begun;
        private @Nullable RuntimeException failure;

        Attempt(Duration left, Body body) {
            this.left = left;
            this.body = body;
        }

        @Override
        public boolean in(Connection connection) {
            begun = true;
            try {
                return runBody(connection);
            } catch (RuntimeException e) {
                failure = e;
                throw e;
            }
        }

        private boolean runBody(Connection connection) {
            Optional<JobUpdate.Settle> settlement;
            connections.check(connection);
            BodyTransaction transaction = BodyTransaction.on(connection, left, connections);
            try (transaction) {
                settlement = messages.outbox().noting(sent, () -> body.in(transaction));
            }
            if (settlement.isEmpty()) {
                transaction.refuseOtherEnds();
                return false;
            }
            outcome = settle(connection, transaction, settlement.get()) ? Outcome.COMMITTED : Outcome.STALE;
            return outcome == Outcome.COMMITTED;
        }

        private boolean settle(Connection connection, BodyTransaction begun, JobUpdate.Settle settlement) {
            List<JobUpdates.Item> one = List.of(new JobUpdates.Item(0, settlement));
            Tx tx = Tx.ofCaller(connection, connections.schema());
            try {
                begun.prepareEnd(tx);
                new OwnRunMessages(messages.inboxLimit())
                        .deliver(tx, settlement.key().run(), sent, hints);
                return new JobUpdateBatch(tx, one, hints).write().containsKey(0);
            } catch (SQLException e) {
                throw begun.notSettled(e);
            }
        }

        /**
         * Handles an exception of the {@link ActivityTransactions}: the transaction could not begin, or commit, or roll
         * back after the body. It may hide the exception that was thrown inside it.
         */
        @SuppressWarnings("ReferenceEquality") // equals would be a method of the application
        private void after(Throwable e) {
            if (failure != null) {
                if (failure != e) {
                    failure.addSuppressed(e);
                }
                throw failure;
            }
            SQLException refused = inChain(e);
            if (!begun && refused != null) {
                throw connections.failures().unavailable(refused);
            }
            if (outcome != Outcome.COMMITTED && refused != null) {
                log.debug(
                        "rolled back by the loss of its connection: {}",
                        StoreErrors.withoutRow(refused).getMessage());
                return;
            }
            if (refused != null && isOfApplication(refused)) {
                throw new BodyRefusedException(StoreErrors.ofTheDriver(refused));
            }
            throw refused == null ? unchecked(e) : connections.failures().ofCaller(refused);
        }

        /**
         * The engine's statements have succeeded before COMMIT. Returns whether the application is at fault for a
         * refused COMMIT. The engine's statements have succeeded before, so the refusal comes from the application's
         * deferred triggers and constraints, or from the last writes of its framework. Deadlocks, conflicts, a full
         * disk and a server that shuts down are not its fault, unless a trigger has raised them itself.
         */
        private static boolean isOfApplication(SQLException refused) {
            return refused instanceof PSQLException server
                    && server.getServerErrorMessage() != null
                    && switch (SqlState.of(refused)) {
                        case OTHER, UNEXPECTED, NO_PARTITION, LOCKED -> true;
                        case AGAIN, UNAVAILABLE, REFUSED -> false;
                    };
        }

        private static RuntimeException unchecked(Throwable e) {
            if (e instanceof Error error) {
                throw error;
            }
            return (RuntimeException) e;
        }

        private static @Nullable SQLException inChain(Throwable e) {
            return Thrown.of(e)
                    .chain()
                    .filter(SQLException.class::isInstance)
                    .map(SQLException.class::cast)
                    .findFirst()
                    .orElse(null);
        }
    }
}
