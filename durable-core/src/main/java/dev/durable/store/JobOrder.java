package dev.durable.store;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job by somebody who does not run it: an operator, the holder of its token, or a timeout.
 *
 * <p>An order that rests on what was read names it with {@link Seen}: if the job has changed since, nothing is written
 * and the answer is CHANGED: who asked reads the job and decides again. So no order hits another attempt than the one it was
 * meant for.
 *
 * <p>Thread-safe, immutable.
 */
public sealed interface JobOrder {
    /** Which job. */
    JobKey key();

    /** What is kept of it. */
    Trace trace();

    /** How the job stood when the order was decided; null where the order holds however it stands. */
    default @Nullable Seen seen() {
        return null;
    }

    /** As the audit calls the activity. */
    default String target() {
        return "activity " + key().seq() + " of run " + key().run().runId() + " of workflow "
                + key().run().shown();
    }

    /**
     * What is kept of an order.
     *
     * @param audit the row for the audit, which recognises a resend; null for the sweep, for signs of life of who has a
     *     token, and for the end that it tells, whose outcome has an id of its own
     * @param note an informing event as a JSON object of {type, at, attributes}, written with the activity's end; null
     *     without
     */
    record Trace(@Nullable Audit audit, @Nullable String note) {
        /** Nothing. */
        public static final Trace NONE = new Trace(null, null);

        @Override
        public String toString() {
            return "Trace[" + audit + "]";
        }
    }

    /**
     * A row of the audit.
     *
     * @param id made by who gives the order: a resend is a DUPLICATE
     * @param actor who
     * @param action what, as one word
     * @param details a JSON object
     */
    record Audit(UUID id, String actor, String action, String details) {
        @Override
        public String toString() {
            return "Audit[" + id + ", " + actor + ", " + action + "]";
        }
    }

    /**
     * How the job stood when it was read.
     *
     * @param lease of who ran it, or whose token it was; null when nobody did
     * @param attempt the current or next one
     * @param revision counts what orders changed since its claim
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
     * Its next attempt is due then: later, earlier, or at once. Paused it stays so, and is due then when it is resumed.
     *
     * @param at when
     * @param moved of one that has not begun, what counts from there; null leaves all of it
     */
    record Reschedule(
            JobKey key,
            Trace trace,
            Seen seen,
            Instant at,
            @Nullable JobDeadlines moved) implements JobOrder {}

    /** Nobody begins an attempt of it until it is resumed; one that runs ends as it would. */
    record Pause(JobKey key, Trace trace) implements JobOrder {}

    /**
     * The run of a background job is asked to stop: its inbox gets the request, and its code cancels the activity.
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

    /** As if it had not been paused: what became due meanwhile is due now. */
    record Resume(JobKey key, Trace trace) implements JobOrder {}

    /** The attempt that runs, here or elsewhere, has until then. */
    record UpdateTimeout(JobKey key, Trace trace, Seen seen, Instant deadline) implements JobOrder {}

    /**
     * Other options from the next decision on.
     *
     * @param options all of them, as JSON text
     * @param scheduleToStart the deadline by them; null is none
     * @param scheduleToClose the deadline by them; null is none
     * @param moreWorkerCrashes by them than by those it had: they are added to what is left to it, as an operator may have
     *     given it some back; negative is fewer
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
     * A dead letter or an incident is tried again, with all its time and crashes given back.
     *
     * @param input other arguments, a JSON array; null leaves those it has
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
     * The holder of a token says that the attempt failed, or the sweep that it timed out, and it was the last: the job stays,
     * as in {@link JobUpdate.Bury}. Its body may not have returned yet.
     *
     * @param trace its note goes with what the attempt noted
     */
    record Bury(JobKey key, Trace trace, Seen seen, boolean incident, String fingerprint, String lastFailure)
            implements JobOrder {}

    /**
     * It ended: the job goes, the outcome goes into the run's inbox with all notes of the job before its own.
     *
     * @param outcome its id recognises a resend
     */
    record End(JobKey key, Trace trace, Seen seen, InboxMessage outcome) implements JobOrder {
        public End {
            if (outcome.kind() != MessageKind.ACTIVITY_OUTCOME) {
                throw new IllegalArgumentException("a job ends with an ACTIVITY_OUTCOME, not with " + outcome.kind());
            }
        }
    }

    /**
     * The holder of a token says that the attempt failed or that it can't go on now, or the sweep that it timed out; another
     * follows. Its body may not have returned yet.
     *
     * @param trace its note goes with what the attempt noted
     * @param lastFailure message for descriptions; null keeps what is stored
     */
    record GiveBack(
            JobKey key,
            Trace trace,
            Seen seen,
            Next next,
            @Nullable String lastFailure) implements JobOrder {}

    /**
     * The attempt that follows.
     *
     * @param delay until then
     * @param attempt its number; that of the last one, if none was used
     * @param options its options, where the failure changed them; null keeps what is stored
     */
    record Next(Duration delay, int attempt, JobUpdate.@Nullable NewOptions options) {}

    /**
     * The holder of a token tells that it lives and how far it is.
     *
     * @param details heartbeat details; null keeps those there are
     * @param silentUntil when the next one must have come; null is never
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

    /** What became of it. */
    enum Outcome {
        APPLIED,
        /** The job is in the requested state already. */
        UNCHANGED,
        /** In its state there is nothing this could do: a running activity is not retried, a dead one not paused. */
        REFUSED,
        /** It is not as it was seen: read again. */
        CHANGED,
        /** There is no such job: it ended, or its run did. Nothing written. */
        NOT_FOUND,
        /** This very order was carried out before. */
        DUPLICATE,
        /** The job's row is locked by another transaction; nothing was written. */
        LOCKED
    }
}
