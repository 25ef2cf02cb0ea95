package dev.durable.store;

import dev.durable.client.QueueLimits;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * The pauses, limits and ramps of builds that currently hold for a set of task queues.
 *
 * @param queues by name; a queue without a rule is not there
 * @param pausedActivities names of activities, or of types for all of their activities; {@link #ALL} while all is halted
 * @param nextDelayed when the first of the delayed jobs of a queue is due; a queue without delayed jobs is not there
 * @param ramps which build gets which runs of these queues
 */
public record QueueRules(
        Map<String, Rule> queues, Set<String> pausedActivities, Map<String, Instant> nextDelayed, BuildRamps ramps) {
    /** The name that stands for all activities and all runs: while it is paused, nothing begins. */
    public static final String ALL = "*";

    /** The activity that carries out operations on many runs: it begins while everything is halted, too, to mend things. */
    public static final String OPERATION = "durable.operation.run";

    /** The rules where nothing is paused or limited. */
    public static final QueueRules NONE = new QueueRules(Map.of(), Set.of());

    public QueueRules {
        queues = Map.copyOf(queues);
        pausedActivities = Set.copyOf(pausedActivities);
        nextDelayed = Map.copyOf(nextDelayed);
    }

    /** The rules of queues without delayed jobs. */
    public QueueRules(Map<String, Rule> queues, Set<String> pausedActivities) {
        this(queues, pausedActivities, Map.of());
    }

    /** The rules where no build has a ramp. */
    public QueueRules(Map<String, Rule> queues, Set<String> pausedActivities, Map<String, Instant> nextDelayed) {
        this(queues, pausedActivities, nextDelayed, BuildRamps.NONE);
    }

    public Rule of(String taskQueue) {
        return queues.getOrDefault(taskQueue, Rule.NONE);
    }

    /** Returns whether nothing begins: no run is claimed, and no body is called. */
    public boolean halted() {
        return pausedActivities.contains(ALL);
    }

    /** Returns whether no job of this activity may begin: it is paused by its name, or its type is, or all are halted. */
    public boolean pauses(String activity) {
        return !pausedActivities.isEmpty()
                && (halted() && !activity.equals(OPERATION)
                        || pausedActivities.contains(activity)
                        || pausedActivities.contains(typeOf(activity)));
    }

    /** {@code Payments} of {@code Payments.charge}; the name itself if it has no dot. */
    public static String typeOf(String activity) {
        int dot = activity.lastIndexOf('.');
        return dot < 0 ? activity : activity.substring(0, dot);
    }

    /**
     * The rules of one queue.
     *
     * @param paused whether none of its jobs is begun
     * @param limits its limits
     * @param keysWait whether jobs wait until their limit key lets them through
     */
    public record Rule(boolean paused, QueueLimits limits, boolean keysWait) {
        static final Rule NONE = new Rule(false, QueueLimits.NONE, false);

        /** Returns whether a worker that schedules a job of this queue may begin it without asking the store. */
        public boolean isFree() {
            return !paused && !limits.limitsClaims();
        }
    }
}
