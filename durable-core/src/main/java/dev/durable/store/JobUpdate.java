package dev.durable.store;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job by the worker that holds its lease: outcome, retry, release, heartbeat and the like. Refused as
 * STALE when the lease is another, and after the run closed.
 *
 * <p>A job whose cancellation was requested and that nobody runs any more, by Retry, Release, Unread, a closed session or an
 * orphan's re-queue, does not wait for another attempt: it is deleted and {@link CancelledIdleJob} goes into the inbox.
 */
public sealed interface JobUpdate {
    JobKey key();

    UUID lease();

    /** What it says of the job itself. */
    default JobUpdate said() {
        return this;
    }

    /** It ended: the job goes, the outcome goes into the run's inbox. The message id is the lease token. */
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
     * This attempt failed, another follows.
     *
     * @param delay until then
     * @param nextAttempt its number
     * @param notes all informing events so far, a JSON array
     * @param lastFailure message for descriptions
     * @param details last heartbeat details to keep; null keeps what is stored
     * @param options where the failure changed them; null keeps what is stored
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
     * Its options from now on, unless an order has changed them meanwhile: then those of the order stand.
     *
     * @param json all of them, as JSON text
     * @param insteadOf the text by which the attempt went, as the row has it
     */
    record NewOptions(String json, String insteadOf) {
        @Override
        public String toString() {
            return "NewOptions[" + json.length() + " characters]";
        }
    }

    /**
     * Its attempts are used up, or no worker could read it for long: it stays, and nobody runs it until an {@linkplain JobOrder order} says what becomes of it.
     *
     * @param incident an incident, else a dead letter
     * @param nextAttempt the number of an attempt that an operator may allow
     * @param fingerprint the same for what failed alike
     * @param notes all informing events so far, a JSON array
     * @param lastFailure message for descriptions
     * @param details last heartbeat details to keep; null keeps what is stored
     * @param options by which an attempt that an operator allows goes; null keeps what is stored
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
     * Given back, for after a delay: no attempt is used.
     *
     * @param details last heartbeat details to keep; null keeps what is stored
     * @param begun whether its body was called under this lease, or may have been: then it does not run out of
     *     schedule-to-start, nor does it expire; what had begun before has begun
     * @param why what is to be seen of it; null is nothing
     */
    record Release(
            JobKey key,
            UUID lease,
            Duration delay,
            @Nullable String details,
            boolean begun,
            @Nullable Why why) implements JobUpdate {

        /**
         * What is to be seen of a job that was given back.
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
     * This worker can't read it, so nothing has begun: given back for others, no attempt is used.
     *
     * @param delay until anybody may claim it
     * @param notes all informing events so far, a JSON array; null keeps what is stored
     * @param lastFailure message for descriptions: what could not be read
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
     * Something is to be remembered of the attempt while it runs.
     *
     * @param notes all informing events so far, a JSON array; null keeps what is stored
     * @param options what holds if this worker is lost; null keeps what is stored
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
     * Its body has returned; the token's holder ends the attempt, under the same lease. No session holds it any more.
     *
     * @param notes all informing events so far, a JSON array; null without
     * @param details last heartbeat details to keep; null keeps what is stored
     * @param left until the attempt times out; an order that this worker has not heard of counts for more
     * @param silence longest time without a heartbeat; null is not watched
     * @param revision what this worker has heard of orders
     * @param options by which the attempt goes on, and those that follow; null keeps what is stored
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
     * The attempt ends, and its body goes on: its place under the limits of its queue and its key stays taken until {@link
     * FreePlace}, until the session is dead or gone, and for {@link #PLACE_KEPT} at most.
     *
     * @param end how the attempt ends; its outcome is that of this update
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
     * The body has ended, after its attempt had, or after its job was taken away: its place is free. Never stale: whoever
     * has the job now, it is about the place of this lease.
     */
    record FreePlace(JobKey key, UUID lease) implements JobUpdate {
        @Override
        public String toString() {
            return "FreePlace[" + key + "]";
        }
    }

    /** How long a place is kept for a body that goes on; one that never stops would else close its queue for ever. */
    Duration PLACE_KEPT = Duration.ofMinutes(1);

    /** What became of it. */
    enum Outcome {
        ACCEPTED,
        /** Accepted, and cancellation of the activity was requested. Never the answer to a settlement. */
        CANCEL_REQUESTED,
        /** The lease is not the current one any more: nothing was written. */
        STALE,
        /** This very settlement was accepted before: its message waits, or the history has it. */
        DUPLICATE,
        /** The job's row is locked by another transaction; nothing was written, send the update again, alone. */
        LOCKED
    }
}
