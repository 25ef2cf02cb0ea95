package dev.durable.store;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity job to be inserted with the transition or start that schedules it.
 *
 * @param seq the activity's number in its run
 * @param activity its name
 * @param taskQueue the queue that it is claimed from
 * @param priority a job of higher priority goes first, within the aging of the queue
 * @param input arguments, a JSON array
 * @param options its options as JSON text (ActivityOptions), as recorded
 * @param headers headers of options and run, a JSON object
 * @param workflowType the type of the run that schedules it
 * @param scheduledAt when it was scheduled
 * @param scheduleToStartDeadline null is none
 * @param scheduleToCloseDeadline null is none
 * @param maxWorkerCrashes how often its worker may die before it becomes a dead letter
 * @param eager the claim of the writing worker, with which it is inserted; null inserts it as ready
 * @param limitKey the key whose limits must let it through before it is ready; it is then never inserted as claimed;
 *     null is without a key
 * @param delay how long from its insert until it may be claimed; it is then never inserted as claimed; zero is none
 */
public record NewJob(
        int seq,
        String activity,
        String taskQueue,
        int priority,
        String input,
        String options,
        String headers,
        String workflowType,
        Instant scheduledAt,
        @Nullable Instant scheduleToStartDeadline,
        @Nullable Instant scheduleToCloseDeadline,
        int maxWorkerCrashes,
        @Nullable Lease eager,
        @Nullable String limitKey,
        Duration delay) {

    private static final Duration SOON = Duration.ofSeconds(30);

    public NewJob {
        if (eager != null && limitKey != null) {
            throw new IllegalArgumentException("job " + seq + " has limit key " + limitKey
                    + " and can't be inserted as claimed: its key has to let it through");
        }
        if (eager != null && !delay.isZero()) {
            throw new IllegalArgumentException("job " + seq + " is delayed by " + delay
                    + " and can't be inserted as claimed: its time has to come");
        }
    }

    /** A job without a delay. */
    public NewJob(
            int seq,
            String activity,
            String taskQueue,
            int priority,
            String input,
            String options,
            String headers,
            String workflowType,
            Instant scheduledAt,
            @Nullable Instant scheduleToStartDeadline,
            @Nullable Instant scheduleToCloseDeadline,
            int maxWorkerCrashes,
            @Nullable Lease eager,
            @Nullable String limitKey) {
        this(
                seq,
                activity,
                taskQueue,
                priority,
                input,
                options,
                headers,
                workflowType,
                scheduledAt,
                scheduleToStartDeadline,
                scheduleToCloseDeadline,
                maxWorkerCrashes,
                eager,
                limitKey,
                Duration.ZERO);
    }

    /** A job without a limit key. */
    public NewJob(
            int seq,
            String activity,
            String taskQueue,
            int priority,
            String input,
            String options,
            String headers,
            String workflowType,
            Instant scheduledAt,
            @Nullable Instant scheduleToStartDeadline,
            @Nullable Instant scheduleToCloseDeadline,
            int maxWorkerCrashes,
            @Nullable Lease eager) {
        this(
                seq,
                activity,
                taskQueue,
                priority,
                input,
                options,
                headers,
                workflowType,
                scheduledAt,
                scheduleToStartDeadline,
                scheduleToCloseDeadline,
                maxWorkerCrashes,
                eager,
                null);
    }

    /** Returns whether its insert nudges workers: it is ready, or due before they would poll. */
    public boolean isDueSoon() {
        return delay.compareTo(SOON) < 0;
    }

    /** This job with other arguments; null leaves those that it has. */
    public NewJob withInput(@Nullable String other) {
        return other == null
                ? this
                : new NewJob(
                        seq,
                        activity,
                        taskQueue,
                        priority,
                        other,
                        options,
                        headers,
                        workflowType,
                        scheduledAt,
                        scheduleToStartDeadline,
                        scheduleToCloseDeadline,
                        maxWorkerCrashes,
                        eager,
                        limitKey,
                        delay);
    }

    /**
     * A claim of a job: its lease token and the session that runs it.
     *
     * @param token random, one per job and claim
     * @param session the worker session
     */
    public record Lease(UUID token, UUID session) {
        @Override
        public String toString() {
            return RecordText.of(this);
        }
    }

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
