package dev.durable.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds the notes and outcomes that a store writes about a job whose workers died more often than {@code
 * maxWorkerCrashes} allows. The crash budget is apart from attempts: no attempt is used, and the fate of the job does
 * not depend on how many are left.
 *
 * <p>{@code onExhausted} of its options decides: INCIDENT makes it an incident, DISCARD completes it as if it had
 * returned null, and everything else makes it a dead letter, FAIL included, because a job that kills workers must come
 * before an operator.
 */
public final class PoisonPill {
    private PoisonPill() {}

    /** Returns whether a job with this option, read as {@code retry.onExhausted}, becomes an incident; null is FAIL. */
    public static boolean isIncident(@Nullable String onExhausted) {
        return "INCIDENT".equals(onExhausted);
    }

    /** Returns whether a job with this option is discarded. */
    public static boolean isDiscarded(@Nullable String onExhausted) {
        return "DISCARD".equals(onExhausted);
    }

    /** All jobs of an activity that killed their workers are one group. */
    public static String fingerprint(String activity) {
        return activity + ": worker lost";
    }

    /** The last failure that descriptions show. */
    public static String lastFailure(int crashes) {
        return "its worker died " + crashes + " times while it ran";
    }

    /**
     * The notes of the job, followed by an event for the lost workers that are not noted yet, and by the event that
     * says what became of the job.
     *
     * @param noted its informing events, a JSON array; null without
     */
    public static String notes(
            JobKey key,
            String activity,
            int attempt,
            int crashes,
            boolean incident,
            Instant now,
            @Nullable String noted) {
        String raised = raised(key, activity, attempt, crashes, incident, now);
        return Objects.requireNonNull(JobNotes.with(withLost(key, attempt, crashes, now, noted), raised));
    }

    private static @Nullable String withLost(
            JobKey key, int attempt, int crashes, Instant now, @Nullable String noted) {
        int notNoted = crashes - lost(noted);
        return notNoted <= 0
                ? noted
                : JobNotes.with(
                        noted,
                        "{\"type\":\"ActivityAttemptFailed\",\"at\":\"" + now.truncatedTo(ChronoUnit.MICROS)
                                + "\",\"attributes\":{\"informing\":true,\"seq\":" + key.seq() + ",\"attempt\":"
                                + attempt
                                + ",\"reason\":\"worker lost\",\"omitted\":" + (notNoted - 1) + "}}");
    }

    /** The number of lost workers that the notes contain. */
    private static int lost(@Nullable String noted) {
        return noted == null
                ? 0
                : JsonParts.elements(noted).stream()
                        .map(JsonParts::members)
                        .filter(note -> "\"ActivityAttemptFailed\"".equals(note.get("type")))
                        .map(note -> JsonParts.members(note.getOrDefault("attributes", "{}")))
                        .filter(attributes -> "\"worker lost\"".equals(attributes.get("reason")))
                        .mapToInt(attributes -> 1 + JsonParts.integer(attributes.get("omitted"), 0))
                        .sum();
    }

    private static String raised(JobKey key, String activity, int attempt, int crashes, boolean incident, Instant now) {
        return "{\"type\":\"IncidentRaised\",\"at\":\"" + now.truncatedTo(ChronoUnit.MICROS)
                + "\",\"attributes\":{\"informing\":true,\"seq\":" + key.seq() + ",\"attempt\":" + attempt
                + ",\"kind\":\"" + (incident ? "incident" : "dead letter")
                + "\",\"reason\":\"worker lost\",\"crashes\":"
                + crashes + ",\"fingerprint\":" + JsonText.quoted(fingerprint(activity)) + "}}";
    }

    /**
     * The outcome of a job that is discarded. Its message id is the one that the cancellation of the job would have, so
     * that a job that ends without a worker gives one message.
     */
    public static InboxMessage discarded(JobKey key, int attempt, int crashes, Instant now, @Nullable String notes) {
        String at = "\"" + now.truncatedTo(ChronoUnit.MICROS) + "\"";
        String note = "{\"type\":\"ActivityAttemptFailed\",\"at\":" + at
                + ",\"attributes\":{\"informing\":true,\"seq\":" + key.seq() + ",\"attempt\":" + attempt
                + ",\"reason\":\"discarded\",\"omitted\":0}}";
        return new InboxMessage(
                CancelledIdleJob.messageId(key),
                MessageKind.ACTIVITY_OUTCOME,
                "ActivityCompleted",
                "{\"seq\":" + key.seq() + ",\"attempt\":" + attempt + ",\"result\":null,\"startedAt\":" + at + "}",
                JobNotes.with(withLost(key, attempt, crashes, now, notes), note),
                null);
    }
}
