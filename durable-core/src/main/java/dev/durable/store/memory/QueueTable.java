package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.client.AuditEntry;
import dev.durable.client.QueueDescription;
import dev.durable.client.QueueLimits;
import dev.durable.store.BuildRamps;
import dev.durable.store.Nudges;
import dev.durable.store.Nudges.JobsReady;
import dev.durable.store.QueueChange;
import dev.durable.store.QueueRules;
import dev.durable.store.QueueStore;
import dev.durable.store.RecentStarts;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Task queues as operators see and set them, and limit keys. */
final class QueueTable {
    private final Tables tables;

    QueueTable(Tables tables) {
        this.tables = tables;
    }

    boolean change(QueueChange change) {
        QueueSettings settings = tables.settings();
        boolean changed =
                switch (change.what()) {
                    case QueueChange.PauseQueue pause -> settings.pause(pause.target(), until(pause.resumeAt()));
                    case QueueChange.ResumeQueue resume -> settings.resume(resume.target());
                    case QueueChange.PauseActivity pause ->
                        settings.pauseActivity(pause.target(), until(pause.resumeAt()));
                    case QueueChange.ResumeActivity resume -> settings.resumeActivity(resume.target());
                    case QueueChange.RampBuild ramp -> settings.ramp(ramp.target(), ramp.percent());
                    case QueueChange.Limit limit -> settings.limit(limit.target(), limit.limits());
                };
        if (changed) {
            QueueChange.What what = change.what();
            tables.audit()
                    .add(new AuditEntry(
                            change.id(), tables.now(), change.actor(), what.action(), what.target(), change.details()));
            tables.hints().owe(new Nudges.RulesChanged());
        }
        return changed;
    }

    private static Instant until(@Nullable Instant resumeAt) {
        return resumeAt == null ? Instant.MAX : resumeAt;
    }

    QueueRules rules(Collection<String> taskQueues) {
        Instant now = tables.now();
        Map<String, QueueRules.Rule> rules = new HashMap<>();
        Map<String, Instant> delayed = new HashMap<>();
        for (String queue : taskQueues) {
            tables.jobs().nextDelayed(queue, now).ifPresent(at -> delayed.put(queue, at));
            QueueRules.Rule rule = tables.settings().rule(queue, now);
            boolean keysWait = !tables.jobs().waiting(queue, now).isEmpty();
            rules.put(queue, new QueueRules.Rule(rule.paused(), rule.limits(), keysWait));
        }
        return new QueueRules(rules, tables.settings().paused(now), delayed, ramps(taskQueues));
    }

    private BuildRamps ramps(Collection<String> taskQueues) {
        List<BuildRamps.Ramp> ramps = tables.settings().ramps();
        return ramps.isEmpty()
                ? BuildRamps.NONE
                : new BuildRamps(
                        ramps,
                        taskQueues.stream()
                                .distinct()
                                .collect(Collectors.toMap(queue -> queue, tables.sessions()::buildsOf)));
    }

    QueueStore.Admission admit(String taskQueue) {
        Instant now = tables.now();
        QueueLimits limits = tables.settings().limits(taskQueue);
        int admitted = 0;
        boolean left = false;
        Duration retryIn = null;
        for (Map.Entry<String, List<Job>> waiting :
                tables.jobs().waiting(taskQueue, now).entrySet()) {
            RecentStarts starts = tables.settings().starts(taskQueue, waiting.getKey());
            int room = room(taskQueue, waiting.getKey(), limits, starts.in(now));
            List<Job> jobs = waiting.getValue().stream().limit(room).toList();
            jobs.forEach(tables.jobs()::admit);
            admitted += jobs.size();
            if (jobs.size() < waiting.getValue().size()) {
                left = true;
                retryIn = limits.keyRatePerSecond() == null ? null : Duration.ofMillis(50);
            }
        }
        if (admitted > 0) {
            tables.hints().owe(new JobsReady(taskQueue));
        }
        return new QueueStore.Admission(admitted, left, retryIn);
    }

    private int room(String taskQueue, String key, QueueLimits limits, int begun) {
        Integer concurrency = limits.keyConcurrency();
        Integer rate = limits.keyRatePerSecond();
        long ready = tables.jobs()
                .all(taskQueue)
                .filter(job -> job.state() == ActivityState.READY
                        && key.equals(job.spec().limitKey()))
                .count();
        long running = tables.jobs()
                .running(taskQueue)
                .filter(job -> key.equals(job.spec().limitKey()))
                .count();
        int kept = tables.places().count(taskQueue, key, tables.now(), tables.sessions()::isAlive);
        long room = Math.min(
                concurrency == null ? Integer.MAX_VALUE : concurrency - ready - running - kept,
                rate == null ? Integer.MAX_VALUE : rate - ready - begun);
        return (int) Math.max(0, room);
    }

    List<QueueDescription> list() {
        TreeSet<String> names = new TreeSet<>(tables.settings().names());
        names.addAll(tables.jobs().names());
        tables.runs().all().values().stream()
                .filter(RunRow::isOpen)
                .forEach(run -> names.add(run.start().taskQueue()));
        return names.stream()
                .map(this::describe)
                .filter(queue -> queue.depth() + queue.running() + queue.dead() + queue.openRuns() > 0
                        || queue.paused()
                        || !queue.limits().equals(QueueLimits.NONE))
                .toList();
    }

    private QueueDescription describe(String name) {
        Instant now = tables.now();
        Instant until = tables.settings().pausedUntil(name, now).orElse(null);
        return new QueueDescription(
                name,
                count(name, ActivityState.READY),
                count(name, ActivityState.WAITING),
                count(name, ActivityState.DELAYED),
                count(name, ActivityState.RUNNING) + count(name, ActivityState.EXTERNAL),
                count(name, ActivityState.DEAD),
                runs(name).count(),
                tables.jobs().oldest(name).orElse(null),
                until != null,
                Instant.MAX.equals(until) ? null : until,
                tables.settings().limits(name),
                false);
    }

    int depth(String taskQueue, int atMost) {
        Instant now = tables.now();
        long due = runs(taskQueue)
                .filter(run -> {
                    Instant at = run.hold().wakeAt();
                    return at != null && !at.isAfter(now);
                })
                .count();
        return (int) Math.min(atMost, tables.jobs().all(taskQueue).count() + due);
    }

    private long count(String taskQueue, ActivityState state) {
        return runs(taskQueue, state).count();
    }

    private Stream<Job> runs(String taskQueue, ActivityState state) {
        return tables.runs().all().values().stream()
                .filter(RunRow::isOpen)
                .flatMap(run -> run.jobs().values().stream())
                .filter(job ->
                        job.state() == state && job.spec().route().taskQueue().equals(taskQueue));
    }

    private Stream<RunRow> runs(String taskQueue) {
        return tables.runs().all().values().stream()
                .filter(run -> run.isOpen() && run.start().taskQueue().equals(taskQueue));
    }
}
