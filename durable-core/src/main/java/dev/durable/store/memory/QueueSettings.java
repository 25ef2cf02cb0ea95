package dev.durable.store.memory;

import dev.durable.client.QueueLimits;
import dev.durable.client.Queues.PausedActivity;
import dev.durable.store.BuildRamps;
import dev.durable.store.QueueRules;
import dev.durable.store.RecentStarts;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The pauses and limits that operators have set, and the recent starts that rate limits count. */
final class QueueSettings {
    private final Map<String, Instant> pausedQueues = new HashMap<>();
    private final Map<String, QueueLimits> limits = new HashMap<>();
    private final TreeMap<String, Instant> pausedActivities = new TreeMap<>();
    /** The percentages of builds, the one that was set last at the end. */
    private final LinkedHashMap<String, Integer> ramps = new LinkedHashMap<>();

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

    /** Sets the ramp of a build as the last one; null ends it. Returns false if that is so already. */
    boolean ramp(String build, @Nullable Integer percent) {
        boolean isLast = !ramps.isEmpty() && ramps.lastEntry().getKey().equals(build);
        Integer before = ramps.remove(build);
        if (percent != null) {
            ramps.put(build, percent);
        }
        return !Objects.equals(percent, before) || percent != null && !isLast;
    }

    /** The ramps, the one that was set last first. */
    List<BuildRamps.Ramp> ramps() {
        return ramps.reversed().entrySet().stream()
                .map(ramp -> new BuildRamps.Ramp(ramp.getKey(), ramp.getValue()))
                .toList();
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

    /**
     * The times after this one at which a rate lets more jobs begin.
     *
     * @param waits whether a queue has jobs that wait
     */
    Stream<Instant> ratesAfter(Instant now, Predicate<String> waits) {
        Stream<RecentStarts> ofQueues = starts.entrySet().stream()
                .filter(queue -> limits(queue.getKey()).ratePerSecond() != null && waits.test(queue.getKey()))
                .map(Map.Entry::getValue);
        Stream<RecentStarts> ofKeys = keyStarts.entrySet().stream()
                .filter(queue -> limits(queue.getKey()).keyRatePerSecond() != null && waits.test(queue.getKey()))
                .flatMap(queue -> queue.getValue().values().stream());
        return Stream.concat(ofQueues, ofKeys)
                .filter(recent -> recent.in(now) > 0)
                .map(recent -> now.plus(recent.freeIn(now)));
    }
}
