package dev.durable.client;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows the depth of task queues to operators, and sets pauses and limits. {@code client.queues()}. Thread-safe.
 *
 * <p>Everything set here stands in the store: it survives restarts, holds for all workers, and is written with a row in
 * the table {@code audit}. A call that changes nothing writes nothing and returns false.
 *
 * <p><b>How exact.</b> A claim reads the rules in its own statement: once a call here has returned, no claim that begins
 * later takes a job against it. A worker may also begin an activity of its own runs without a claim, if its queue has no
 * limit and nothing of it is paused. It keeps the rules in memory for that, hears of changes at once and reads them
 * again at least every poll interval (a second): for that long after a call here such a worker may still begin
 * activities of its own runs. Bodies that run already go on in any case, and local activities have no queue: they go
 * on, too, except while everything is {@linkplain #halt() halted}.
 */
public interface Queues {

    /** Names the operator, for the audit; the engine's identity by default. */
    Queues by(String actor);

    /** Gives the reason, for the audit. */
    Queues because(String reason);

    /** All queues that hold something or have a setting, by name. Counts all waiting jobs: for people, not for loops. */
    List<QueueDescription> list();

    /** One queue, empty where nothing is known of it. */
    QueueDescription describe(String taskQueue);

    /** From now on no job of this queue is begun. Workflow code goes on; the activities it asks for wait. */
    default boolean pause(String taskQueue) {
        return pause(taskQueue, null);
    }

    /**
     * From now until that time by the store's clock, no job of this queue is begun; null is until {@link #resume}.
     *
     * @throws IllegalArgumentException when the time has passed, or when no living worker serves the queue and nothing of
     *     it is in the store
     */
    boolean pause(String taskQueue, @Nullable Instant resumeAt);

    /** Jobs of this queue are begun again. */
    boolean resume(String taskQueue);

    /**
     * From now on no job of this activity is begun, in whatever queue: {@code Payments.charge}, or {@code Payments} for
     * all of the type. The jobs are held, not dropped. A claim passes over those that stand in front of others in their
     * queue, so a queue with very many of them is better paused as a whole.
     */
    default boolean pauseActivity(String activity) {
        return pauseActivity(activity, null);
    }

    /**
     * From now until that time by the store's clock, no job of this activity is begun, as by {@link
     * #pauseActivity(String)}; null is until {@link #resumeActivity}.
     *
     * @throws IllegalArgumentException when the time has passed, or when no living worker implements the activity, nothing
     *     registered here declares it, and no job of it is in the store
     */
    boolean pauseActivity(String activity, @Nullable Instant resumeAt);

    /** Jobs of this activity are begun again. Give the name that was paused. */
    boolean resumeActivity(String activity);

    /**
     * Halts everything, for an emergency: a second after the return of this call, no worker begins anything any more. No
     * run is claimed, no job, no first turn of a start is made by the process that starts it, and no body of an activity
     * or local activity is called, nor its next attempt. What runs goes on, and its outcome is taken; workflow code that
     * is in memory may react to it, but the activities that it asks for wait. Starts, signals and all other calls of
     * clients are taken and wait, too. Timeouts go on: what waits for too long times out. It is one row, so the call is as
     * quick as the pause of one queue, and holds until {@link #endHalt()}, over restarts.
     *
     * @return whether it was not halted before
     */
    boolean halt();

    /**
     * Lets everything begin again that {@link #halt()} has held up; pauses of queues, activities and runs stay.
     *
     * @return whether it was halted
     */
    boolean endHalt();

    /** Returns whether everything is halted. The audit has the operator, the time and the reason. */
    boolean isHalted();

    /** Activities that are paused, by name; {@code *} while everything is halted. */
    List<PausedActivity> pausedActivities();

    /**
     * Sets all limits of a queue: {@code limits("mail", l -> l.concurrency(10).ratePerSecond(50))}. What is not named is
     * not limited; {@code l -> {}} lifts all.
     *
     * <p>An activity of a limited queue is always claimed, never begun directly by the worker that scheduled it. More
     * than a limit allows may run for a while when it is lowered: what runs goes on.
     */
    boolean limits(String taskQueue, Consumer<QueueLimits.Builder> limits);

    /**
     * An activity that is paused.
     *
     * @param activity its name, or its type's
     * @param resumeAt until when; null is until an operator resumes it
     */
    record PausedActivity(String activity, @Nullable Instant resumeAt) {}
}
