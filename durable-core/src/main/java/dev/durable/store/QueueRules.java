package dev.durable.store;

import dev.durable.client.QueueLimits;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * The pauses and limits that currently hold for a set of task queues.
 *
 * @param queues by name; one without a rule is not there
 * @param pausedActivities names of activities, or of types for all of their activities
 * @param nextDelayed when the first of the jobs that wait for their time in a queue is due; a queue without is not there
 */
public record QueueRules(Map<String, Rule> queues, Set<String> pausedActivities, Map<String, Instant> nextDelayed) {
    /** Nothing is paused or limited. */
    public static final QueueRules NONE = new QueueRules(Map.of(), Set.of());

    public QueueRules {
        queues = Map.copyOf(queues);
        pausedActivities = Set.copyOf(pausedActivities);
        nextDelayed = Map.copyOf(nextDelayed);
    }

    /** Of queues in which nothing waits for its time. */
    public QueueRules(Map<String, Rule> queues, Set<String> pausedActivities) {
        this(queues, pausedActivities, Map.of());
    }

    /** The rule of a queue. */
    public Rule of(String taskQueue) {
        return queues.getOrDefault(taskQueue, Rule.NONE);
    }

    /** Whether this activity is begun nowhere: it is paused by its name, or its type is. */
    public boolean pauses(String activity) {
        return !pausedActivities.isEmpty()
                && (pausedActivities.contains(activity) || pausedActivities.contains(typeOf(activity)));
    }

    /** {@code Payments} of {@code Payments.charge}; the name itself where it has no dot. */
    public static String typeOf(String activity) {
        int dot = activity.lastIndexOf('.');
        return dot < 0 ? activity : activity.substring(0, dot);
    }

    /**
     * What holds for one queue.
     *
     * @param paused whether none of its jobs is begun
     * @param limits its limits
     * @param keysWait whether jobs wait until their limit key lets them through
     */
    public record Rule(boolean paused, QueueLimits limits, boolean keysWait) {
        static final Rule NONE = new Rule(false, QueueLimits.NONE, false);

        /** Whether its jobs may be begun by who schedules them: nobody has to be asked. */
        public boolean isFree() {
            return !paused && !limits.limitsClaims();
        }
    }
}
