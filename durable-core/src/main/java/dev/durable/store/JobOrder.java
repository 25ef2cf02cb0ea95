package dev.durable.store;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job from outside the worker that runs it: by an operator, the holder of its token, or a timeout.
 *
 * <p>An order that depends on the state of the job that was read before names that state with {@link Seen}: if the job
 * has changed since, nothing is written and the answer is CHANGED, and the caller reads the job and decides again. So
 * no order hits another attempt than the one it was meant for.
 *
 * <p>Thread-safe, immutable.
 */
public sealed interface JobOrder {
    /** The job. */
    JobKey key();

    /** The row of the audit and the note that the order leaves. */
    Trace trace();

    /** The state of the job on which the order depends; null if the order does not depend on it. */
    default @Nullable Seen seen() {
        return null;
    }

    /** The target as the audit names it. */
    default String target() {
        return "activity " + key().seq() + " of run " + key().run().runId() + " of workflow "
                + key().run().shown();
    }

    /**
     * The records that an order leaves.
     *
     * @param audit the row for the audit, by which a resend is recognised; null for the sweep, for the heartbeats of a
     *     token's holder, and for the end that the holder reports, whose outcome has an id of its own
     * @param note an informing event as a JSON object of {type, at, attributes}, written with the activity's end; null
     *     without
     */
    record Trace(@Nullable Audit audit, @Nullable String note) {
        /** No records. */
        public static final Trace NONE = new Trace(null, null);

        @Override
        public String toString() {
            return "Trace[" + audit + "]";
        }
    }

    /**
     * A row of the audit.
     *
     * @param id made by the caller that gives the order: a resend is a DUPLICATE
     * @param actor the operator's name
     * @param action the action, as one word
     * @param details a JSON object
     */
    record Audit(UUID id, String actor, String action, String details) {
        @Override
        public String toString() {
            return "Audit[" + id + ", " + actor + ", " + action + "]";
        }
    }

    /**
     * The state of the job when it was read.
     *
     * @param lease the lease of the attempt that was under way, in a worker or with a token's holder; null if there was
     *     none
     * @param attempt the current or next attempt
     * @param revision the number of changes by orders since its claim
     */
    record Seen(@Nullable UUID lease, int attempt, int revision) {
        @Override
        public String toString() {
            return "Seen[attempt=" + attempt + ", revision=" + revision + "]";
        }
    }

    /**
     * Makes the next attempt due now. A paused job stays paused and is due when resumed; for a dead letter or incident
     * use {@link Revive}.
     */
    record RetryNow(JobKey key, Trace trace) implements JobOrder {}

    /**
     * Moves the next attempt to another time: later, earlier, or at once. A paused job stays paused, and the time
     * counts once it is resumed.
     *
     * @param at when
     * @param moved for a job that has not begun, the times that count from the new one; null leaves them
     */
    record Reschedule(
            JobKey key,
            Trace trace,
            Seen seen,
            Instant at,
            @Nullable JobDeadlines moved) implements JobOrder {}

    /** Pauses the job: no attempt begins until it is resumed; an attempt that runs goes on to its end. */
    record Pause(JobKey key, Trace trace) implements JobOrder {}

    /**
     * Asks the run of a background job to stop: puts the request into its inbox, and its code cancels the activity.
     *
     * @param request recognises a resend by its id, which is that of the row of the audit
     */
    record Cancel(JobKey key, Trace trace, InboxMessage request) implements JobOrder {
        public Cancel {
            if (request.kind() != MessageKind.CANCEL) {
                throw new IllegalArgumentException("a run is asked to stop by a CANCEL, not by " + request.kind());
            }
        }
    }

    /** Resumes the job as if it had not been paused: if its time has passed meanwhile, it is due now. */
    record Resume(JobKey key, Trace trace) implements JobOrder {}

    /** Sets the deadline of the attempt that runs in a worker or with a token's holder. */
    record UpdateTimeout(JobKey key, Trace trace, Seen seen, Instant deadline) implements JobOrder {}

    /**
     * Sets other options, which count from the next decision on.
     *
     * @param options all of them, as JSON text
     * @param scheduleToStart the deadline by them; null is none
     * @param scheduleToClose the deadline by them; null is none
     * @param moreWorkerCrashes how many more crashes the new options allow than the old ones; they are added to what
     *     the job has left, as an operator may have given it some back; negative is fewer
     */
    record UpdateOptions(
            JobKey key,
            Trace trace,
            Seen seen,
            String options,
            @Nullable Instant scheduleToStart,
            @Nullable Instant scheduleToClose,
            int moreWorkerCrashes)
            implements JobOrder {
        @Override
        public String toString() {
            return "UpdateOptions[" + key + ", " + trace + ", " + seen + "]";
        }
    }

    /**
     * Tries a dead letter or an incident again, with all its time and crashes given back.
     *
     * @param input other arguments, a JSON array; null leaves those that it has
     * @param options all of them, as JSON text
     * @param scheduleToClose the deadline by them; null is none
     * @param maxWorkerCrashes how many crashes from now on
     */
    record Revive(
            JobKey key,
            Trace trace,
            Seen seen,
            @Nullable String input,
            String options,
            @Nullable Instant scheduleToClose,
            int maxWorkerCrashes)
            implements JobOrder {
        @Override
        public String toString() {
            return "Revive[" + key + ", " + trace + ", " + seen + "]";
        }
    }

    /**
     * Keeps the job as a dead letter or an incident, as {@link JobUpdate.Bury}: the holder of a token reports that the
     * attempt failed, or the sweep that it timed out, and it was the last one. Its body may not have returned yet.
     *
     * @param trace its note follows the notes of the attempt
     */
    record Bury(JobKey key, Trace trace, Seen seen, boolean incident, String fingerprint, String lastFailure)
            implements JobOrder {
        @Override
        public String toString() {
            return "Bury[" + key + ", " + trace + ", " + seen + ", incident=" + incident + ", " + fingerprint + "]";
        }
    }

    /**
     * Ends the job: deletes it and puts the outcome into the run's inbox, with all notes of the job before its own.
     *
     * @param outcome a resend is recognised by its id
     */
    record End(JobKey key, Trace trace, Seen seen, InboxMessage outcome) implements JobOrder {
        public End {
            if (outcome.kind() != MessageKind.ACTIVITY_OUTCOME) {
                throw new IllegalArgumentException("a job ends with an ACTIVITY_OUTCOME, not with " + outcome.kind());
            }
        }
    }

    /**
     * Puts the job back for another attempt: the holder of a token reports that the attempt failed or that it can't go
     * on now, or the sweep that it timed out. Its body may not have returned yet.
     *
     * @param trace its note follows the notes of the attempt
     * @param lastFailure message for descriptions; null keeps what is stored
     */
    record GiveBack(
            JobKey key,
            Trace trace,
            Seen seen,
            Next next,
            @Nullable String lastFailure) implements JobOrder {
        @Override
        public String toString() {
            return "GiveBack[" + key + ", " + trace + ", " + seen + ", " + next + "]";
        }
    }

    /**
     * The attempt that follows.
     *
     * @param delay how long until it may begin
     * @param attempt its number; the number of the last one, if that was not used up
     * @param options its options, where the failure changed them; null keeps what is stored
     */
    record Next(Duration delay, int attempt, JobUpdate.@Nullable NewOptions options) {}

    /**
     * Reports a heartbeat of the holder of a token.
     *
     * @param details heartbeat details; null keeps those that are stored
     * @param silentUntil when the next heartbeat must have come; null is never
     */
    record Beat(
            JobKey key,
            Trace trace,
            Seen seen,
            @Nullable String details,
            @Nullable Instant silentUntil) implements JobOrder {
        @Override
        public String toString() {
            return "Beat[" + key + ", " + trace + ", " + seen + ", silentUntil=" + silentUntil + "]";
        }
    }

    /** The result of an order. */
    enum Outcome {
        APPLIED,
        /** The job is in the requested state already. */
        UNCHANGED,
        /** The order does not fit the state of the job: a running activity is not retried, a dead letter not paused. */
        REFUSED,
        /** The job is not as the order expects it: read it again. */
        CHANGED,
        /** There is no such job: it ended, or its run did. Nothing was written. */
        NOT_FOUND,
        /** This very order was carried out before. */
        DUPLICATE,
        /** The job's row is locked by another transaction; nothing was written. */
        LOCKED
    }
}
