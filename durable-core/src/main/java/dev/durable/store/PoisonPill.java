package dev.durable.store;

import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.IncidentRaised;
import dev.durable.history.JobNotes;
import dev.durable.history.Payload;
import dev.durable.internal.json.JsonObjectReader;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.UUID;
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
    /** The reason of an attempt, and of an incident, whose worker is gone. */
    static final String WORKER_LOST = "worker lost";

    private PoisonPill() {}

    /** The kind of an {@link IncidentRaised}. */
    static String kind(boolean incident) {
        return incident ? "incident" : "dead letter";
    }

    /** Returns whether a job with this {@code retry.onExhausted} becomes an incident; null is FAIL. */
    public static boolean isIncident(@Nullable String onExhausted) {
        return "INCIDENT".equals(onExhausted);
    }

    /** Returns whether a job with this option is discarded. */
    public static boolean isDiscarded(@Nullable String onExhausted) {
        return "DISCARD".equals(onExhausted);
    }

    /** All jobs of an activity that killed their workers are one group. */
    public static String fingerprint(String activity) {
        return activity + ": " + WORKER_LOST;
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
        long notNoted = crashes - lost(noted, now);
        return notNoted <= 0
                ? noted
                : JobNotes.with(noted, failedAttempt(key, attempt, WORKER_LOST, (int) (notNoted - 1), now));
    }

    /** How many lost workers are noted. */
    private static long lost(@Nullable String noted, Instant now) {
        return EventJson.decodeAnyNotes(noted, now).stream()
                .filter(note -> note.type().equals(ActivityAttemptFailed.class.getSimpleName()))
                .map(note -> JsonObjectReader.ofAny(note.attributes()))
                .filter(attributes -> WORKER_LOST.equals(attributes.stringIfAny("reason")))
                .mapToLong(attributes -> 1L + Math.max(0, attributes.integerIfAny("omitted", 0)))
                .sum();
    }

    private static String failedAttempt(JobKey key, int attempt, String reason, int omitted, Instant now) {
        return EventJson.note(new ActivityAttemptFailed(
                0, now.truncatedTo(ChronoUnit.MICROS), key.seq(), attempt, reason, null, null, omitted));
    }

    private static String raised(JobKey key, String activity, int attempt, int crashes, boolean incident, Instant now) {
        return EventJson.note(new IncidentRaised(
                0,
                now.truncatedTo(ChronoUnit.MICROS),
                key.seq(),
                attempt,
                kind(incident),
                WORKER_LOST,
                null,
                crashes,
                fingerprint(activity)));
    }

    /**
     * The outcome of a job that is discarded. Its message id is the one that the cancellation of the job would have, so
     * that a job that ends without a worker gives one message.
     */
    public static InboxMessage discarded(JobKey key, int attempt, int crashes, Instant now, @Nullable String notes) {
        UUID id = CancelledIdleJob.messageId(key);
        Instant at = now.truncatedTo(ChronoUnit.MICROS);
        return EventJson.outcome(
                id,
                new ActivityCompleted(0, at, key.seq(), attempt, id, Payload.NULL, at, ""),
                JobNotes.with(
                        withLost(key, attempt, crashes, now, notes), failedAttempt(key, attempt, "discarded", 0, now)));
    }
}
