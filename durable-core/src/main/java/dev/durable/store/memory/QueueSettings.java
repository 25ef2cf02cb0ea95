package dev.durable.store.memory;

import dev.durable.client.QueueLimits;
import dev.durable.client.Queues.PausedActivity;
import dev.durable.store.QueueRules;
import dev.durable.store.RecentStarts;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The pauses and limits that operators have set, and the recent starts that rate limits count. */
final class QueueSettings {
    private final Map<String, Instant> pausedQueues = new HashMap<>();
    private final Map<String, QueueLimits> limits = new HashMap<>();
    private final TreeMap<String, Instant> pausedActivities = new TreeMap<>();
    private final Map<String, RecentStarts> starts = new HashMap<>();
    private final Map<String, Map<String, RecentStarts>> keyStarts = new HashMap<>();

    /** Pauses a queue until this time; {@link Instant#MAX} is for good. Returns false if that is so already. */
    boolean pause(String taskQueue, Instant until) {
        return !until.equals(pausedQueues.put(taskQueue, until));
    }

    boolean resume(String taskQueue) {
        return pausedQueues.remove(taskQueue) != null;
    }

    boolean pauseActivity(String activity, Instant until) {
        return !until.equals(pausedActivities.put(activity, until));
    }

    boolean resumeActivity(String activity) {
        return pausedActivities.remove(activity) != null;
    }

    boolean limit(String taskQueue, QueueLimits wanted) {
        QueueLimits before = limits.put(taskQueue, wanted);
        return !wanted.equals(before == null ? QueueLimits.NONE : before);
    }

    QueueLimits limits(String taskQueue) {
        return limits.getOrDefault(taskQueue, QueueLimits.NONE);
    }

    Optional<Instant> pausedUntil(String taskQueue, Instant now) {
        return Optional.ofNullable(pausedQueues.get(taskQueue)).filter(now::isBefore);
    }

    QueueRules.Rule rule(String taskQueue, Instant now) {
        return new QueueRules.Rule(pausedUntil(taskQueue, now).isPresent(), limits(taskQueue), false);
    }

    Set<String> paused(Instant now) {
        return pausedActivities.entrySet().stream()
                .filter(paused -> now.isBefore(paused.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    boolean pauses(String activity, Instant now) {
        return new QueueRules(Map.of(), paused(now)).pauses(activity);
    }

    List<PausedActivity> pausedActivities(Instant now) {
        return pausedActivities.entrySet().stream()
                .filter(paused -> now.isBefore(paused.getValue()))
                .map(paused -> new PausedActivity(
                        paused.getKey(), paused.getValue().equals(Instant.MAX) ? null : paused.getValue()))
                .toList();
    }

    Set<String> names() {
        return Stream.of(pausedQueues.keySet(), limits.keySet())
                .flatMap(Set::stream)
                .collect(Collectors.toSet());
    }

    RecentStarts starts(String taskQueue) {
        return starts.computeIfAbsent(taskQueue, queue -> new RecentStarts());
    }

    RecentStarts starts(String taskQueue, String key) {
        return keyStarts
                .computeIfAbsent(taskQueue, queue -> new HashMap<>())
                .computeIfAbsent(key, k -> new RecentStarts());
    }

    /** Counts the start of a job that was claimed. */
    void begun(Job job, Instant now) {
        String key = job.spec().limitKey();
        String taskQueue = job.spec().route().taskQueue();
        if (key != null && limits(taskQueue).keyRatePerSecond() != null) {
            starts(taskQueue, key).add(now, 1);
        }
    }

    /** The times after this one at which a pause ends. */
    Stream<Instant> timesAfter(Instant now) {
        return Stream.concat(pausedQueues.values().stream(), pausedActivities.values().stream())
                .filter(until -> until.isAfter(now) && !until.equals(Instant.MAX));
    }
}
