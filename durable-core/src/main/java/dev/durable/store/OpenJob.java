package dev.durable.store;

import dev.durable.client.ActivityState;
import dev.durable.internal.text.Portion;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity job as listings show it and as operators' orders refer to it.
 *
 * @param key which job
 * @param route its activity, and where it is claimed
 * @param status where it stands
 * @param seen its lease, attempt and revision, for orders
 * @param input arguments, a JSON array; null in a listing
 * @param options ActivityOptions as JSON text
 * @param times its times
 * @param worker the worker that runs it; null when none does
 * @param report its last failure, heartbeat details and informing events
 * @param burial since when it waits for an operator; null when it does not
 */
public record OpenJob(
        JobKey key,
        JobRoute route,
        Status status,
        JobOrder.Seen seen,
        @Nullable String input,
        String options,
        Times times,
        @Nullable Worker worker,
        Report report,
        @Nullable Burial burial) {

    /**
     * Where a job stands.
     *
     * @param state its state
     * @param paused whether no further attempt begins
     * @param begun whether its body was called before, or may have been; of one that is being run it need not say so yet
     * @param cancelRequested whether its workflow wants it to stop
     * @param crashes how often its worker died
     */
    public record Status(ActivityState state, boolean paused, boolean begun, boolean cancelRequested, int crashes) {}

    /**
     * The messages that the attempts of a job have left.
     *
     * @param lastFailure message of the last failed attempt
     * @param heartbeatDetails last accepted details, JSON text
     * @param notes its informing events, a JSON array; null in a listing
     */
    public record Report(
            @Nullable String lastFailure,
            @Nullable String heartbeatDetails,
            @Nullable String notes) {
        @Override
        public String toString() {
            return "Report";
        }
    }

    /**
     * Since when it is a dead letter or an incident.
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

    /** The name of its activity. */
    public String activity() {
        return route.activity();
    }

    /** Returns the most bytes that a store may count it for in a {@linkplain Portion portion} of a listing. */
    public long atMost() {
        return Portion.atMost(options)
                + Portion.atMost(report.lastFailure())
                + Portion.atMost(report.heartbeatDetails());
    }

    @Override
    public String toString() {
        return "OpenJob[" + key + ", " + route + ", " + status + ", " + seen + "]";
    }
}
