package dev.durable.store;

import dev.durable.history.InboxMessage;
import dev.durable.history.JobNotes;
import dev.durable.history.OptionsJson;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A running job whose worker is gone, and the rules by which a store decides what becomes of it. It goes back into its
 * queue; after a crash too many it becomes a dead letter or an incident, or is discarded, as its options say. A job
 * that must not run twice ends with an unknown outcome.
 *
 * @param attempt the attempt that was under way
 * @param crashes how many crashes it had before this one
 * @param cancelRequested whether its workflow wants it to stop
 * @param options its options that count here
 * @param notes the notes of its worker, a JSON array; null without
 * @param operatorNotes the notes that orders have added since its claim; null without
 */
public record OrphanedJob(
        JobKey key,
        String activity,
        String workflowType,
        int attempt,
        int crashes,
        boolean cancelRequested,
        Options options,
        @Nullable String notes,
        @Nullable String operatorNotes) {

    /**
     * The options of the job that count here.
     *
     * @param maxCrashes how many crashes put it back into its queue
     * @param atMostOnce whether it must not run again when it may have run
     * @param onExhausted what the options say of a job that has used up its attempts; null is FAIL
     */
    public record Options(
            int maxCrashes, boolean atMostOnce, @Nullable String onExhausted) {
        /**
         * The options of a job.
         *
         * @param options ActivityOptions as JSON text
         */
        public static Options of(int maxCrashes, String options) {
            return new Options(maxCrashes, OptionsJson.isAtMostOnce(options), OptionsJson.onExhausted(options));
        }

        private boolean incident() {
            return PoisonPill.isIncident(onExhausted);
        }
    }

    /** The decision about an orphaned job. */
    public sealed interface Decision {
        /**
         * It goes back into its queue: ready, or waiting for its limit key or its resume.
         *
         * @param crash 1 where it counts as a crash more, else 0
         */
        record Requeued(int crash) implements Decision {}

        /** It ends as cancelled, as its run has asked it to stop. */
        record Cancelled() implements Decision {}

        /** It ends, and its run hears of this outcome. */
        record Ended(InboxMessage outcome) implements Decision {}

        /**
         * It becomes an incident or a dead letter.
         *
         * @param crash 1 where it counts as a crash more, else 0
         * @param nextAttempt the attempt that an operator may allow
         * @param notes the notes of its worker, and the event that says why it stays
         * @param lastFailure message for descriptions
         */
        record Failed(
                boolean incident, String fingerprint, int crash, int nextAttempt, String notes, String lastFailure)
                implements Decision {
            @Override
            public String toString() {
                return "Failed[incident=" + incident + ", " + fingerprint + ", nextAttempt=" + nextAttempt + "]";
            }
        }
    }

    /** Decides about a job whose session was declared dead, which counts as one more crash. */
    public Decision afterCrash(Instant now) {
        return decide(1, now);
    }

    /** Decides about a job whose session was closed in good order, which counts as no crash. */
    public Decision afterClose(Instant now) {
        return decide(0, now);
    }

    private Decision decide(int crash, Instant now) {
        if (cancelRequested) {
            return new Decision.Cancelled();
        }
        if (options.atMostOnce()) {
            return outcomeUnknown(now);
        }
        return crash == 0 || crashes + crash <= options.maxCrashes()
                ? new Decision.Requeued(crash)
                : usedUp(crashes + crash, crash, now);
    }

    /** Ends a job that may have run, and that must not run again by itself. */
    private Decision outcomeUnknown(Instant now) {
        if (!AtMostOnce.isKept(workflowType, options.onExhausted())) {
            return new Decision.Ended(AtMostOnce.lost(key, attempt, allNotes()));
        }
        return new Decision.Failed(
                options.incident(),
                AtMostOnce.fingerprint(activity),
                0,
                attempt + 1,
                AtMostOnce.notes(key, attempt, activity, options.incident(), now, notes),
                AtMostOnce.lastFailure(attempt));
    }

    private Decision usedUp(int all, int crash, Instant now) {
        if (PoisonPill.isDiscarded(options.onExhausted())) {
            return new Decision.Ended(PoisonPill.discarded(key, attempt, all, now, allNotes()));
        }
        return new Decision.Failed(
                options.incident(),
                PoisonPill.fingerprint(activity),
                crash,
                attempt,
                PoisonPill.notes(key, activity, attempt, all, options.incident(), now, notes),
                PoisonPill.lastFailure(all));
    }

    private @Nullable String allNotes() {
        return JobNotes.joined(notes, operatorNotes);
    }

    @Override
    public String toString() {
        return "OrphanedJob[" + key + ", " + activity + ", attempt=" + attempt + ", crashes=" + crashes + "]";
    }
}
