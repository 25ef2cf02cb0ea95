package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.store.Aging;
import dev.durable.store.JobClaim;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewJob;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The jobs of the store by state and task queue: waiting, ready, running, external. */
final class JobQueues {
    private final Map<String, Queue> queues = new HashMap<>();
    /** The jobs that wait, by the time at which a timeout ends them. */
    private final Agenda<Job> deadlines = new Agenda<>();
    /** The external jobs (left to token holders) by the time of their timeout. */
    private final Agenda<Job> external = new Agenda<>();

    private final Map<UUID, Map<UUID, Job>> running = new HashMap<>();

    private record Queue(Agenda<Job> ready, Agenda<Job> delayed, Map<String, Agenda<Job>> waiting) {}

    /** Adds a new job: run by its writer, ready, or delayed. */
    void add(Job job, Instant now) {
        NewJob.Lease eager = job.spec().eager();
        if (eager != null) {
            hold(job, eager, now);
        } else if (!job.spec().delay().isZero()) {
            waitUntil(job, now.plus(job.spec().delay()));
        } else {
            makeReady(job, now);
        }
    }

    /** Takes the job from its queue for this lease. */
    void run(Job job, NewJob.Lease holder, Instant now) {
        remove(job);
        hold(job, holder, now);
    }

    /** Leaves the attempt to the holder of its token, so that it no longer belongs to a session. */
    void detach(Job job, JobUpdate.Detach how, Instant now) {
        remove(job);
        job.detach(how, now);
        external.put(job, job.holdsUntil());
    }

    /** Sorts the job anew after its options or deadlines were changed. */
    void reschedule(Job job) {
        if (job.state() == ActivityState.EXTERNAL) {
            external.put(job, job.holdsUntil());
        } else if (!job.isLeased() && !job.state().isBuried()) {
            deadlines.put(job, job.waitsUntil());
        }
    }

    /** The external jobs that have timed out, the earliest first. */
    Stream<Job> overdueExternal(Instant now) {
        return external.due(now);
    }

    void putBack(Job job, Duration delay, Instant now) {
        remove(job);
        if (delay.isZero() || delay.isNegative()) {
            makeReady(job, now);
        } else {
            waitUntil(job, now.plus(delay));
        }
    }

    /** Takes a paused job that waits out of its queue, or puts a resumed one where it would stand now. */
    void pause(Job job, boolean on, Instant now) {
        job.pause(on);
        if (!job.isLeased()) {
            Instant visibleAt = job.visibleAt();
            remove(job);
            if (visibleAt == null || !visibleAt.isAfter(now)) {
                makeReady(job, now);
            } else {
                waitUntil(job, visibleAt);
            }
        }
    }

    private void waitUntil(Job job, Instant visibleAt) {
        job.waitUntil(visibleAt);
        if (!job.paused()) {
            of(job).delayed.put(job, visibleAt);
        }
        deadlines.put(job, job.waitsUntil());
    }

    /** Keeps the job as a dead letter or an incident: no worker runs it until an operator decides about it. */
    void bury(Job job, boolean incident, OpenJob.Burial burial) {
        remove(job);
        job.die(incident, burial);
    }

    void remove(Job job) {
        of(job).ready.remove(job);
        of(job).delayed.remove(job);
        waiting(job).ifPresent(agenda -> agenda.remove(job));
        deadlines.remove(job);
        external.remove(job);
        if (job.state() == ActivityState.RUNNING) {
            Map<UUID, Job> held = Objects.requireNonNull(running.get(job.lease().session()));
            held.remove(job.lease().token());
            if (held.isEmpty()) {
                running.remove(job.lease().session());
            }
        }
    }

    /** The first jobs that may be run now, by rank; delayed ones whose time has come have joined them. */
    List<Job> claimable(JobClaim claim, Set<String> activities, int limit, Instant now) {
        wakeDelayed(claim.taskQueue(), now);
        return queue(claim.taskQueue())
                .ready
                .inOrder()
                .filter(job -> activities.contains(job.spec().route().activity())
                        && !claim.without().contains(job.key()))
                .limit(limit)
                .toList();
    }

    private void wakeDelayed(String taskQueue, Instant now) {
        Queue queue = queue(taskQueue);
        for (Job due : queue.delayed.due(now).toList()) {
            Instant since = queue.delayed.timeOf(due);
            queue.delayed.remove(due);
            makeReady(due, since);
        }
    }

    /** The jobs of each limit key that wait to be let through, by rank; delayed ones whose time has come have joined them. */
    Map<String, List<Job>> waiting(String taskQueue, Instant now) {
        wakeDelayed(taskQueue, now);
        Map<String, List<Job>> waiting = new TreeMap<>();
        queue(taskQueue)
                .waiting
                .forEach((key, jobs) -> waiting.put(key, jobs.inOrder().toList()));
        waiting.values().removeIf(List::isEmpty);
        return waiting;
    }

    /** Makes a job ready that its limit key lets through. */
    void admit(Job job) {
        waiting(job).ifPresent(agenda -> {
            Instant rank = agenda.timeOf(job);
            agenda.remove(job);
            job.waitUntil(null);
            of(job).ready.put(job, rank);
        });
    }

    /** Returns whether jobs of the queue are to be run that no worker runs. */
    boolean waitsIn(String taskQueue) {
        return all(taskQueue).findAny().isPresent();
    }

    /** All jobs of the queue that no worker runs and that are to be run. */
    Stream<Job> all(String taskQueue) {
        Queue queue = queue(taskQueue);
        return Stream.of(
                        queue.ready.inOrder(),
                        queue.delayed.inOrder(),
                        queue.waiting.values().stream().flatMap(Agenda::inOrder))
                .flatMap(jobs -> jobs);
    }

    /** The jobs that run in workers, or were left to token holders. */
    Stream<Job> running(String taskQueue) {
        return Stream.concat(running.values().stream().flatMap(held -> held.values().stream()), external.inOrder())
                .filter(job -> job.spec().route().taskQueue().equals(taskQueue));
    }

    Set<String> names() {
        return Set.copyOf(queues.keySet());
    }

    /** The time since which a job waits, by its rank. */
    static Instant since(Instant rank, Job job) {
        return rank.plus(Aging.STEP.multipliedBy(job.spec().priority()));
    }

    Optional<Instant> oldest(String taskQueue) {
        Queue queue = queue(taskQueue);
        return Stream.concat(
                        queue.ready.inOrder().map(job -> since(queue.ready.timeOf(job), job)),
                        queue.waiting.values().stream()
                                .flatMap(agenda -> agenda.inOrder().map(job -> since(agenda.timeOf(job), job))))
                .min(Instant::compareTo);
    }

    /** The time at which the first of the delayed jobs is due. */
    Optional<Instant> nextDelayed(String taskQueue, Instant now) {
        return queue(taskQueue).delayed.firstAfter(now);
    }

    Collection<Job> heldBy(UUID session) {
        return List.copyOf(running.getOrDefault(session, Map.of()).values());
    }

    /** The sessions that hold jobs. */
    Set<UUID> holders() {
        return Set.copyOf(running.keySet());
    }

    /** The jobs that no worker runs and that have timed out, the earliest first. */
    Stream<Job> overdue(Instant now) {
        return deadlines.due(now);
    }

    /** The first time at which a job that no worker runs times out. */
    @Nullable
    Instant firstDeadline() {
        return deadlines.first();
    }

    /** The first time at which an external job times out. */
    @Nullable
    Instant firstExternalDeadline() {
        return external.first();
    }

    /** The times after this one at which delayed jobs become due or waiting jobs time out. */
    Stream<Instant> timesAfter(Instant now) {
        return Stream.of(
                        queues.values().stream().flatMap(queue -> queue.delayed.firstAfter(now).stream()),
                        deadlines.firstAfter(now).stream(),
                        external.firstAfter(now).stream())
                .flatMap(times -> times);
    }

    private void hold(Job job, NewJob.Lease holder, Instant now) {
        job.run(holder, now);
        running.computeIfAbsent(holder.session(), s -> new LinkedHashMap<>()).put(holder.token(), job);
    }

    private void makeReady(Job job, Instant since) {
        Instant rank = since.minus(Aging.STEP.multipliedBy(job.spec().priority()));
        String key = job.spec().limitKey();
        job.waitUntil(null);
        if (!job.paused() && key == null) {
            of(job).ready.put(job, rank);
        } else if (!job.paused() && key != null) {
            job.waitForKey();
            of(job).waiting.computeIfAbsent(key, k -> new Agenda<>()).put(job, rank);
        }
        deadlines.put(job, job.waitsUntil());
    }

    private Optional<Agenda<Job>> waiting(Job job) {
        return Optional.ofNullable(job.spec().limitKey())
                .map(key -> of(job).waiting.get(key))
                .filter(agenda -> job.state() == ActivityState.WAITING);
    }

    private Queue of(Job job) {
        return queue(job.spec().route().taskQueue());
    }

    private Queue queue(String name) {
        return queues.computeIfAbsent(name, n -> new Queue(new Agenda<>(), new Agenda<>(), new HashMap<>()));
    }
}
