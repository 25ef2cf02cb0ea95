package dev.durable.store;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity job that this process has claimed, with all that is needed to run the attempt.
 *
 * @param key the job
 * @param activity its name
 * @param taskQueue the queue that it was claimed from
 * @param workflowType the type of its run
 * @param lease the lease token of the claim, which each report must name
 * @param attempt from 1
 * @param crashes how often its worker died
 * @param input arguments, a JSON array
 * @param options ActivityOptions as JSON text
 * @param headers a JSON object
 * @param scheduledAt when it was scheduled; of a background job that was delayed, the end of its delay
 * @param scheduleToStartDeadline when its first attempt must have begun; null is never, or that it has begun
 * @param scheduleToCloseDeadline null is none
 * @param heartbeatDetails the last accepted details of the attempts before, JSON text; null without
 * @param notes informing events so far, a JSON array; null without
 */
public record ClaimedJob(
        JobKey key,
        String activity,
        String taskQueue,
        String workflowType,
        UUID lease,
        int attempt,
        int crashes,
        String input,
        String options,
        String headers,
        Instant scheduledAt,
        @Nullable Instant scheduleToStartDeadline,
        @Nullable Instant scheduleToCloseDeadline,
        @Nullable String heartbeatDetails,
        @Nullable String notes) {

    /** A job that may begin at any time. */
    public ClaimedJob(
            JobKey key,
            String activity,
            String taskQueue,
            String workflowType,
            UUID lease,
            int attempt,
            int crashes,
            String input,
            String options,
            String headers,
            Instant scheduledAt,
            @Nullable Instant scheduleToCloseDeadline,
            @Nullable String heartbeatDetails,
            @Nullable String notes) {
        this(
                key,
                activity,
                taskQueue,
                workflowType,
                lease,
                attempt,
                crashes,
                input,
                options,
                headers,
                scheduledAt,
                null,
                scheduleToCloseDeadline,
                heartbeatDetails,
                notes);
    }

    /** This job, which has begun, for another attempt; details or options of null keep those that it has. */
    public ClaimedJob again(
            int nextAttempt, @Nullable String newNotes, @Nullable String details, @Nullable String newOptions) {
        return new ClaimedJob(
                key,
                activity,
                taskQueue,
                workflowType,
                lease,
                nextAttempt,
                crashes,
                input,
                newOptions == null ? options : newOptions,
                headers,
                scheduledAt,
                null,
                scheduleToCloseDeadline,
                details == null ? heartbeatDetails : details,
                newNotes);
    }

    /** The largest size that a store may count for it in a {@linkplain Portion portion}. */
    public long atMost() {
        return Portion.atMost(input)
                + Portion.atMost(headers)
                + Portion.atMost(heartbeatDetails)
                + Portion.atMost(notes);
    }

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
