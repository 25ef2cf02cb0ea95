package dev.durable.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A job whose workers died more often than its crash budget allows; as {@link CancelledIdleJob}, a store's own words. The
 * crash budget is apart from attempts: no attempt is used, and what becomes of the job does not depend on how many are left.
 *
 * <p>{@code onExhausted} of its options says where it goes: an incident, thrown away as if it had returned null, and in all
 * other cases a dead letter, because what kills workers must be seen by somebody.
 */
public final class PoisonPill {
    private PoisonPill() {}

    /** What its options say, read as {@code retry.onExhausted}; null is FAIL. */
    public static boolean isIncident(@Nullable String onExhausted) {
        return "INCIDENT".equals(onExhausted);
    }

    /** Whether it just goes. */
    public static boolean isDiscarded(@Nullable String onExhausted) {
        return "DISCARD".equals(onExhausted);
    }

    /** All jobs of an activity that killed their workers are one group. */
    public static String fingerprint(String activity) {
        return activity + ": worker lost";
    }

    /** What descriptions show. */
    public static String lastFailure(int crashes) {
        return "its worker died " + crashes + " times while it ran";
    }

    /** The informing event, as it stands among a job's notes. */
    public static String note(JobKey key, String activity, int attempt, int crashes, boolean incident, Instant now) {
        return "{\"type\":\"IncidentRaised\",\"at\":\"" + now.truncatedTo(ChronoUnit.MICROS)
                + "\",\"attributes\":{\"informing\":true,\"seq\":" + key.seq() + ",\"attempt\":" + attempt
                + ",\"kind\":\"" + (incident ? "incident" : "dead letter")
                + "\",\"reason\":\"worker lost\",\"crashes\":"
                + crashes + ",\"fingerprint\":" + JsonText.quoted(fingerprint(activity)) + "}}";
    }

    /** The outcome of one that just goes. It has the id that the cancellation would have: one job ends idle once. */
    public static InboxMessage discarded(JobKey key, int attempt, Instant now, @Nullable String notes) {
        String at = "\"" + now.truncatedTo(ChronoUnit.MICROS) + "\"";
        String note = "{\"type\":\"ActivityAttemptFailed\",\"at\":" + at
                + ",\"attributes\":{\"informing\":true,\"seq\":" + key.seq() + ",\"attempt\":" + attempt
                + ",\"reason\":\"discarded\",\"omitted\":0}}";
        return new InboxMessage(
                CancelledIdleJob.messageId(key),
                MessageKind.ACTIVITY_OUTCOME,
                "ActivityCompleted",
                "{\"seq\":" + key.seq() + ",\"attempt\":" + attempt + ",\"result\":null,\"startedAt\":" + at + "}",
                JobNotes.with(notes, note),
                null);
    }
}
