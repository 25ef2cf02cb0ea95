package dev.durable.store;

import dev.durable.history.InboxMessage;
import dev.durable.history.JobNotes;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.JobOrder.Seen;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which an order may change a job. A store applies them in the transaction that changes the job, under the
 * lock of its row, and carries out only the orders that they permit.
 */
public final class OrderRules {
    private OrderRules() {}

    /**
     * A job as the transaction found it.
     *
     * @param seen its lease, attempt and revision, which an order that depends on a state read before must name
     * @param leased whether an attempt is under way, here or with the holder of a token
     * @param failed whether it is a dead letter or an incident
     * @param paused whether no worker may begin an attempt of it
     * @param waitsForTime whether its next attempt is not due yet
     * @param cancelRequested whether its workflow wants it to stop
     */
    public record Found(
            Seen seen, boolean leased, boolean failed, boolean paused, boolean waitsForTime, boolean cancelRequested) {}

    /** Returns APPLIED if the store is to carry out the order; else the answer, and nothing is written. */
    public static Outcome judge(JobOrder order, Found job) {
        Seen basis = order.seen();
        if (basis != null && !basis.equals(job.seen())) {
            return Outcome.CHANGED;
        }
        return switch (order) {
            case JobOrder.RetryNow ignored -> retryNow(job);
            case JobOrder.Reschedule ignored -> possible(!job.leased() && !job.failed());
            case JobOrder.Pause ignored -> pause(job, true);
            case JobOrder.Resume ignored -> pause(job, false);
            case JobOrder.Cancel ignored -> job.cancelRequested() ? Outcome.UNCHANGED : Outcome.APPLIED;
            case JobOrder.Revive ignored -> possible(job.failed());
            case JobOrder.UpdateTimeout ignored -> possible(job.leased());
            case JobOrder.Bury ignored -> possible(job.leased());
            case JobOrder.GiveBack ignored -> possible(job.leased());
            case JobOrder.UpdateOptions ignored -> Outcome.APPLIED;
            case JobOrder.End ignored -> Outcome.APPLIED;
            case JobOrder.Beat ignored -> Outcome.APPLIED;
        };
    }

    private static Outcome possible(boolean possible) {
        return possible ? Outcome.APPLIED : Outcome.REFUSED;
    }

    private static Outcome retryNow(Found job) {
        if (job.leased()) {
            return Outcome.REFUSED;
        }
        if (job.failed()) {
            // The caller has read the job as one that waits: when it reads the job again, it gives another order.
            return Outcome.CHANGED;
        }
        return job.waitsForTime() ? Outcome.APPLIED : Outcome.UNCHANGED;
    }

    private static Outcome pause(Found job, boolean on) {
        if (job.failed()) {
            return Outcome.REFUSED;
        }
        return job.paused() == on ? Outcome.UNCHANGED : Outcome.APPLIED;
    }

    /** Returns whether the order ends the attempt while its body may go on: under limits the body keeps its place. */
    public static boolean endsAttempt(JobOrder order) {
        return switch (order) {
            case JobOrder.End ignored -> true;
            case JobOrder.Bury ignored -> true;
            case JobOrder.GiveBack ignored -> true;
            case JobOrder.RetryNow ignored -> false;
            case JobOrder.Reschedule ignored -> false;
            case JobOrder.Pause ignored -> false;
            case JobOrder.Cancel ignored -> false;
            case JobOrder.Resume ignored -> false;
            case JobOrder.UpdateTimeout ignored -> false;
            case JobOrder.UpdateOptions ignored -> false;
            case JobOrder.Revive ignored -> false;
            case JobOrder.Beat ignored -> false;
        };
    }

    /**
     * The notes of a job whose attempt an order ends: the notes of the attempt, then the order's own.
     *
     * @param notes a JSON array; null without
     */
    public static String noted(JobOrder order, @Nullable String notes) {
        String all = JobNotes.with(notes, order.trace().note());
        return all == null ? "[]" : all;
    }

    /**
     * The outcome of a job that an order ends, with all notes of the job before its own.
     *
     * @param allNotes the notes of its worker and of orders, a JSON array; null without
     */
    public static InboxMessage outcome(JobOrder.End order, @Nullable String allNotes) {
        String notes = JobNotes.joined(
                JobNotes.with(allNotes, order.trace().note()), order.outcome().notes());
        return order.outcome().with(notes);
    }
}
