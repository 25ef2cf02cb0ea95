package dev.durable.internal.attempt;

import dev.durable.NonRetryableException;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.BodyThread;
import dev.durable.store.BodyRefusedException;
import dev.durable.store.JobUpdate;
import dev.durable.store.TransactionalActivities;
import dev.durable.store.TransactionalActivities.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the body of a transactional activity inside the application's transaction and commits its outcome with it.
 *
 * <pre>
 *   begin ─► body ─► ended, if no other has ended it ─► settle under the lease ─► COMMIT
 *              │ threw, or another ended it: ROLLBACK          │ no lease: ROLLBACK     │ no answer
 *              ▼                                               ▼                        ▼
 *        reported as any failure                             stale             outage: given back
 * </pre>
 *
 * <p>An outage may happen at each of these points: an end of the transaction from outside is no failure of the body,
 * and its job is given back. That is safe after a COMMIT without an answer, too, because the report names the lease: if
 * the commit happened, the job has gone with it and the report is refused as stale; if not, the job is there and is run
 * again. Until the connection's server process has ended, its lock on the job makes the report wait.
 */
final class TransactionalBody {
    private final Optional<TransactionalActivities> store;
    private final AttemptContext context;
    private final BodyThread thread;
    private volatile TransactionalActivities.@Nullable Transaction open;
    /** The time that was given while the transaction was being begun, or later. */
    private volatile @Nullable Duration prolonged;

    private ActivityInvocation.@Nullable Ended how;
    private boolean counts;

    TransactionalBody(Optional<TransactionalActivities> store, AttemptContext context, BodyThread thread) {
        this.store = store;
        this.context = context;
        this.thread = thread;
    }

    /**
     * The result of the body and its transaction.
     *
     * @param counts whether the body ended its attempt; otherwise the attempt had ended before, and the rest does not
     *     count
     * @param outcome the outcome of the transaction in the store
     * @param how the end of the body, to report where the transaction was rolled back
     * @param outage what ended the transaction, or kept it from beginning, where that was not the body
     * @param begun whether the body was called
     */
    record Result(
            boolean counts,
            Outcome outcome,
            ActivityInvocation.Ended how,
            @Nullable StoreUnavailableException outage,
            boolean begun) {}

    /**
     * @param left the time that the body may take
     * @param body calls the body
     * @param ends ends the attempt; returns whether it had not ended before
     * @param settlement builds the update that completes the job
     */
    Result run(
            Duration left,
            Supplier<ActivityInvocation.Ended> body,
            BooleanSupplier ends,
            Function<ActivityInvocation.Returned, JobUpdate.Settle> settlement) {
        try {
            Outcome outcome = store.orElseThrow(TransactionalBody::impossible).run(left, transaction -> {
                ActivityInvocation.Ended ended = inside(transaction, body, ends);
                return counts && ended instanceof ActivityInvocation.Returned returned
                        ? Optional.of(settlement.apply(returned))
                        : Optional.empty();
            });
            return new Result(counts, outcome, how(), null, true);
        } catch (Throwable e) {
            return failed(e, ends);
        }
    }

    /** Gives the transaction more time than was left when it began. Callable from any thread. */
    void prolong(Duration left) {
        prolonged = left;
        TransactionalActivities.Transaction transaction = open;
        if (transaction != null) {
            transaction.prolong(left);
        }
    }

    /**
     * Cancels the statement on which the transaction waits, as its time is over or another worker has its job. Callable
     * from any thread.
     */
    void cancel() {
        TransactionalActivities.Transaction transaction = open;
        if (transaction != null) {
            transaction.cancel();
        }
    }

    /** Ends the transaction of a body that has not stopped. Callable from any thread. */
    void end() {
        TransactionalActivities.Transaction transaction = open;
        if (transaction != null) {
            transaction.end();
        }
    }

    private ActivityInvocation.Ended inside(
            TransactionalActivities.Transaction transaction,
            Supplier<ActivityInvocation.Ended> body,
            BooleanSupplier ends) {
        context.within(transaction);
        open = transaction;
        Duration longer = prolonged;
        if (longer != null) {
            transaction.prolong(longer);
        }
        try {
            how = body.get();
            if (how instanceof ActivityInvocation.Threw threw) {
                transaction.threw(threw.thrown());
            }
        } finally {
            open = null;
            context.within(null);
            // The thread hears no interrupt from here on: it would hit the commit.
            thread.leave();
        }
        counts = ends.getAsBoolean();
        return how();
    }

    /** Returns the result where no transaction could be begun, or it is not known to be committed. */
    private Result failed(Throwable why, BooleanSupplier ends) {
        boolean begun = how != null && !(how instanceof ActivityInvocation.NotRead);
        if (how == null) {
            thread.leave();
            counts = ends.getAsBoolean();
        }
        if (how instanceof ActivityInvocation.Threw own && why instanceof NonRetryableException ended) {
            // The end of its transaction by the body itself is reported rather than its exception.
            ended.addSuppressed(own.thrown());
            return new Result(counts, Outcome.ROLLED_BACK, new ActivityInvocation.Threw(ended), null, true);
        }
        StoreUnavailableException outage = why instanceof StoreUnavailableException away ? away : null;
        boolean bodysOwn = how != null && !(how instanceof ActivityInvocation.Returned);
        Throwable thrown = why instanceof BodyRefusedException refused ? refused.refusal() : why;
        return new Result(
                counts, Outcome.ROLLED_BACK, bodysOwn ? how() : new ActivityInvocation.Threw(thrown), outage, begun);
    }

    private ActivityInvocation.Ended how() {
        ActivityInvocation.Ended ended = how;
        if (ended == null) {
            throw new IllegalStateException("the store did not run the body");
        }
        return ended;
    }

    private static NonRetryableException impossible() {
        return new NonRetryableException(
                "the activity is transactional, and this worker's store has no transactions that"
                        + " an activity could share. Use PostgresHistoryStore, or take transactional = true away.");
    }
}
