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
 * <p>An outage may meet it at each of these points: what ends the transaction from outside is no failure of the body, and
 * its job is given back. After a COMMIT without an answer that is no guess. It goes under the lease: if the commit
 * happened, the job has gone with it and the report is refused as stale; if not, the job is there and is run again. Until
 * the connection's server process has ended, its lock on the job makes the report wait.
 */
final class TransactionalBody {
    private final Optional<TransactionalActivities> store;
    private final AttemptContext context;
    private final BodyThread thread;
    private volatile TransactionalActivities.@Nullable Transaction open;
    /** Given while the transaction was being begun, or later. */
    private volatile @Nullable Duration prolonged;

    private ActivityInvocation.@Nullable Ended how;
    private boolean counts;

    TransactionalBody(Optional<TransactionalActivities> store, AttemptContext context, BodyThread thread) {
        this.store = store;
        this.context = context;
        this.thread = thread;
    }

    /**
     * How it went.
     *
     * @param counts whether it ended by itself; nothing else is to be said otherwise
     * @param outcome what is in the store
     * @param how what to report where that is nothing
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
     * @param left how long it may take
     * @param body the call
     * @param ends ends the attempt, and tells whether it had not ended before
     * @param settlement what settles the job
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

    /** It was given more time than was left when it began. Any thread. */
    void prolong(Duration left) {
        prolonged = left;
        TransactionalActivities.Transaction transaction = open;
        if (transaction != null) {
            transaction.prolong(left);
        }
    }

    /** Its time is over, or another has its job: what it waits for in the database is cancelled. Any thread. */
    void cancel() {
        TransactionalActivities.Transaction transaction = open;
        if (transaction != null) {
            transaction.cancel();
        }
    }

    /** Ends the transaction of a body that has not stopped. Any thread. */
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
            // No interrupt from here on: it would hit the commit.
            thread.leave();
        }
        counts = ends.getAsBoolean();
        return how();
    }

    /** No transaction could be begun, or it is not known to be committed. */
    private Result failed(Throwable why, BooleanSupplier ends) {
        boolean begun = how != null && !(how instanceof ActivityInvocation.NotRead);
        if (how == null) {
            thread.leave();
            counts = ends.getAsBoolean();
        }
        if (how instanceof ActivityInvocation.Threw own && why instanceof NonRetryableException ended) {
            // That the body has ended its own transaction is reported rather than what it threw.
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
