package dev.durable.store;

import dev.durable.client.ActivityState;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity job as listings show it and as operators' orders refer to it.
 *
 * @param key the job
 * @param activity its name
 * @param taskQueue the queue that it is claimed from
 * @param workflowType the type of its run
 * @param state its state
 * @param paused whether no further attempt begins
 * @param begun whether its body was called before, or may have been; while an attempt runs it may still be false
 * @param cancelRequested whether its workflow wants it to stop
 * @param seen its lease, attempt and revision, for orders
 * @param crashes how often its worker died
 * @param input arguments, a JSON array; null in a listing
 * @param options ActivityOptions as JSON text
 * @param times its times
 * @param worker the worker that runs it; null if none does
 * @param lastFailure message of the last failed attempt
 * @param heartbeatDetails the last accepted details, JSON text
 * @param notes its informing events, a JSON array; null in a listing
 * @param burial since when it waits for an operator; null if it does not
 */
public record OpenJob(
        JobKey key,
        String activity,
        String taskQueue,
        String workflowType,
        ActivityState state,
        boolean paused,
        boolean begun,
        boolean cancelRequested,
        JobOrder.Seen seen,
        int crashes,
        @Nullable String input,
        String options,
        Times times,
        @Nullable Worker worker,
        @Nullable String lastFailure,
        @Nullable String heartbeatDetails,
        @Nullable String notes,
        @Nullable Burial burial) {

    /**
     * The time since which a job is a dead letter or an incident, and the fingerprint of its failure.
     *
     * @param at since when
     * @param fingerprint equal for jobs that failed alike
     */
    public record Burial(Instant at, String fingerprint) {}

    /**
     * The times of a job.
     *
     * @param scheduledAt when its workflow scheduled it
     * @param visibleAt when its next attempt may begin, if it had to wait or has to
     * @param claimedAt since when it runs
     * @param deadline when the attempt times out by an order; null is by its options
     * @param silentUntil when the holder of its token must have given a sign of life
     * @param scheduleToCloseDeadline when all its attempts must have ended
     */
    public record Times(
            Instant scheduledAt,
            @Nullable Instant visibleAt,
            @Nullable Instant claimedAt,
            @Nullable Instant deadline,
            @Nullable Instant silentUntil,
            @Nullable Instant scheduleToCloseDeadline) {}

    /**
     * The worker that runs a job.
     *
     * @param session the worker process
     * @param identity its name for people; null if its session is gone
     */
    public record Worker(UUID session, @Nullable String identity) {}

    /** The largest size that a store may count for it in a {@linkplain Portion portion} of a listing. */
    public long atMost() {
        return Portion.atMost(options) + Portion.atMost(lastFailure) + Portion.atMost(heartbeatDetails);
    }

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
