package dev.durable.store;

import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job by the worker that holds its lease: outcome, retry, release, heartbeat, an entry of a stream and the
 * like. It is refused as STALE if the job has another lease by now, and after the run has closed.
 *
 * <p>A job whose cancellation was requested and that no worker runs any more, by Retry, Release, Unread, a closed
 * session or an orphan's re-queue, does not wait for another attempt: it is deleted and {@link CancelledIdleJob} goes
 * into the inbox.
 */
public sealed interface JobUpdate {
    JobKey key();

    UUID lease();

    /** The update that says what becomes of the job itself. */
    default JobUpdate said() {
        return this;
    }

    /** Ends the job: deletes it and puts the outcome into the run's inbox. The message id is the lease token. */
    record Settle(JobKey key, UUID lease, InboxMessage outcome) implements JobUpdate {
        public Settle {
            if (!outcome.messageId().equals(lease) || outcome.kind() != MessageKind.ACTIVITY_OUTCOME) {
                throw new IllegalArgumentException(
                        "an outcome must be an ACTIVITY_OUTCOME under its lease token " + lease
                                + ", not " + outcome.kind() + " " + outcome.messageId()
                                + ": a resend is recognised by that id");
            }
        }

        @Override
        public String toString() {
            return "Settle[" + key + ", " + outcome + "]";
        }
    }

    /**
     * Puts the job back after a failed attempt, for another one.
     *
     * @param delay how long until it may begin
     * @param nextAttempt its number
     * @param notes all informing events so far, a JSON array
     * @param lastFailure message for descriptions
     * @param details last heartbeat details to keep; null keeps what is stored
     * @param options the options, if the failure changed them; null keeps what is stored
     */
    record Retry(
            JobKey key,
            UUID lease,
            Duration delay,
            int nextAttempt,
            String notes,
            @Nullable String lastFailure,
            @Nullable String details,
            @Nullable NewOptions options)
            implements JobUpdate {
        @Override
        public String toString() {
            return "Retry[" + key + ", delay=" + delay + ", nextAttempt=" + nextAttempt + "]";
        }
    }

    /**
     * Options that replace those of the job, unless an order has changed them meanwhile: then those of the order stay.
     *
     * @param json all of them, as JSON text
     * @param insteadOf the options with which the attempt ran, as the row had them
     */
    record NewOptions(String json, String insteadOf) {
        @Override
        public String toString() {
            return "NewOptions[" + json.length() + " characters]";
        }
    }

    /**
     * Keeps the job as a dead letter or an incident, because its attempts are used up or no worker could read it for
     * long. No worker runs it until an {@linkplain JobOrder order} decides about it.
     *
     * @param incident whether it is an incident; else it is a dead letter
     * @param nextAttempt the number of an attempt that an operator may allow
     * @param fingerprint equal for jobs that failed alike
     * @param notes all informing events so far, a JSON array
     * @param lastFailure message for descriptions
     * @param details last heartbeat details to keep; null keeps what is stored
     * @param options the options of an attempt that an operator may allow; null keeps what is stored
     */
    record Bury(
            JobKey key,
            UUID lease,
            boolean incident,
            int nextAttempt,
            String fingerprint,
            String notes,
            String lastFailure,
            @Nullable String details,
            @Nullable NewOptions options)
            implements JobUpdate {
        @Override
        public String toString() {
            return "Bury[" + key + ", incident=" + incident + ", " + fingerprint + "]";
        }
    }

    /**
     * Gives the job back for after a delay; no attempt is used.
     *
     * @param details last heartbeat details to keep; null keeps what is stored
     * @param begun whether its body was called under this lease, or may have been: then neither schedule-to-start nor
     *     expiry ends it any more. A job whose body was called under an earlier lease counts as begun anyway
     * @param why the notes and the failure that show why; null shows nothing
     */
    record Release(
            JobKey key,
            UUID lease,
            Duration delay,
            @Nullable String details,
            boolean begun,
            @Nullable Why why) implements JobUpdate {

        /**
         * The reason, as shown, why a job was given back.
         *
         * @param notes all informing events so far, a JSON array
         * @param lastFailure message for descriptions
         */
        public record Why(String notes, String lastFailure) {
            @Override
            public String toString() {
                return "Why[" + lastFailure.length() + " characters]";
            }
        }

        @Override
        public String toString() {
            return "Release[" + key + ", delay=" + delay + ", begun=" + begun + "]";
        }
    }

    /**
     * Gives back a job that this worker can't read, for other workers. Nothing has begun, and no attempt is used.
     *
     * @param delay how long until any worker may claim it
     * @param notes all informing events so far, a JSON array; null keeps what is stored
     * @param lastFailure message for descriptions: the part that could not be read
     */
    record Unread(
            JobKey key,
            UUID lease,
            Duration delay,
            @Nullable String notes,
            String lastFailure) implements JobUpdate {
        @Override
        public String toString() {
            return "Unread[" + key + ", delay=" + delay + "]";
        }
    }

    /** A heartbeat with its details. */
    record Heartbeat(JobKey key, UUID lease, String details) implements JobUpdate {
        @Override
        public String toString() {
            return "Heartbeat[" + key + ", " + details.length() + " characters]";
        }
    }

    /**
     * Appends an entry to a stream of the chain of the job's run. The store finds the chain by the run, gives the entry
     * the next offset of the stream under a lock on the stream that lasts until the commit, and keeps what the attempt
     * has appended, so that an update that is sent again is a DUPLICATE.
     *
     * @param attempt the number of the attempt, which the entry shows
     * @param number the number of the entry among those that this lease has appended to the stream, from 0: an update
     *     whose number was written under this lease before is a DUPLICATE. The next one is sent when this is answered
     * @param entry the stream and the value
     */
    record Append(JobKey key, UUID lease, int attempt, long number, NewEntry entry) implements JobUpdate {
        @Override
        public String toString() {
            return "Append[" + key + ", attempt=" + attempt + ", number=" + number + ", " + entry + "]";
        }
    }

    /**
     * Stores notes or options of the attempt while it runs.
     *
     * @param notes all informing events so far, a JSON array; null keeps what is stored
     * @param options the options that count if this worker is lost; null keeps what is stored
     */
    record Annotate(
            JobKey key,
            UUID lease,
            @Nullable String notes,
            @Nullable NewOptions options) implements JobUpdate {
        @Override
        public String toString() {
            return "Annotate[" + key + "]";
        }
    }

    /**
     * Leaves the attempt to the holder of its token, as its body has returned: the holder ends it, under the same
     * lease. No session holds the job any more.
     *
     * @param notes all informing events so far, a JSON array; null without
     * @param details last heartbeat details to keep; null keeps what is stored
     * @param left how long until the attempt times out; a deadline of an order that this worker has not heard of takes
     *     precedence
     * @param silence the longest time without a heartbeat; null is without a limit
     * @param revision the revision of the job that this worker has heard of
     * @param options the options of the attempt and of those that follow; null keeps what is stored
     */
    record Detach(
            JobKey key,
            UUID lease,
            @Nullable String notes,
            @Nullable String details,
            Duration left,
            @Nullable Duration silence,
            int revision,
            @Nullable NewOptions options)
            implements JobUpdate {
        @Override
        public String toString() {
            return "Detach[" + key + ", left=" + left + ", revision=" + revision + "]";
        }
    }

    /**
     * Ends the attempt while its body goes on. The body's place under the limits of its queue and its key stays taken
     * until {@link FreePlace}, until the session is dead or gone, and for {@link #PLACE_KEPT} at most.
     *
     * @param end how the attempt ends; the result of this update is its result
     */
    record BodyGoesOn(JobUpdate end) implements JobUpdate {
        private static boolean endsAttempt(JobUpdate update) {
            return switch (update) {
                case Settle ignored -> true;
                case Retry ignored -> true;
                case Release ignored -> true;
                case Bury ignored -> true;
                case Unread ignored -> false;
                case Heartbeat ignored -> false;
                case Append ignored -> false;
                case Annotate ignored -> false;
                case Detach ignored -> false;
                case BodyGoesOn ignored -> false;
                case FreePlace ignored -> false;
            };
        }

        public BodyGoesOn {
            if (!endsAttempt(end)) {
                throw new IllegalArgumentException(end + " does not end an attempt, whose body could go on after it");
            }
        }

        @Override
        public JobKey key() {
            return end.key();
        }

        @Override
        public UUID lease() {
            return end.lease();
        }

        @Override
        public JobUpdate said() {
            return end;
        }
    }

    /**
     * Frees the place of a body that has ended after its attempt had, or after its job was taken away. It is never
     * stale, whichever worker has the job now, because it concerns the place of this lease only.
     */
    record FreePlace(JobKey key, UUID lease) implements JobUpdate {
        @Override
        public String toString() {
            return "FreePlace[" + key + "]";
        }
    }

    /** How long a place is kept for a body that goes on, so that one that never stops does not block its queue. */
    Duration PLACE_KEPT = Duration.ofMinutes(1);

    /** The result of an update. */
    enum Outcome {
        ACCEPTED,
        /** Accepted, and cancellation of the activity was requested. Never the result of a {@link Settle}. */
        CANCEL_REQUESTED,
        /** The lease is not the current one any more: nothing was written. */
        STALE,
        /** This very outcome was accepted before: its message waits, or the history has it; or the entry of a stream was. */
        DUPLICATE,
        /** The stream is {@linkplain dev.durable.internal.text.Bounds#STREAM_ENTRIES full}: nothing was written. */
        FULL,
        /** The job's row is locked by another transaction; nothing was written, send the update again, alone. */
        LOCKED
    }
}
