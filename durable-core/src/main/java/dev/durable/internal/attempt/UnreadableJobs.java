package dev.durable.internal.attempt;

import dev.durable.history.Failure;
import dev.durable.internal.observe.Fingerprint;
import dev.durable.internal.text.Bounds;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobKey;
import dev.durable.store.JobUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that this process has claimed and could not read (arguments that do not fit the registered method, an
 * unknown option), and how long it leaves each of them to other workers. In a rolling deployment another worker can
 * read them, so that is no failure of the job.
 *
 * <pre>
 *   claimed ──► can't be read ──► ready again at once, for others; a note says why and since when
 *      ▲                              │
 *      └── a pause that grows ◄───────┤ this process claims without it
 *                                     └── since longer than 15 minutes ──► incident
 * </pre>
 *
 * <p>That time counts from the first worker that could not read the job, and anew after one that could; it stands in
 * the job's notes, so it outlives processes. The pause belongs to this process, whose code does not change until it
 * ends: it claims the job again only to make the incident at last, and in case the job has got new arguments. If the
 * process dies between the claim and giving the job back, it counts as a lost worker like any other.
 */
public final class UnreadableJobs {
    private static final Logger log = LoggerFactory.getLogger(UnreadableJobs.class);
    /** How long no worker may be able to read a job before it becomes an incident: longer than most deployments take. */
    private static final Duration LEFT_FOR = Duration.ofMinutes(15);

    static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    /**
     * How long after its pause a job is remembered; one that was not claimed here again by then has gone to another
     * worker.
     */
    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(5);
    /** The most jobs that are remembered, because each claim names all of those that it leaves out. */
    static final int MOST = 1_000;
    /** How long a job that finds no place among them is kept from all workers. */
    static final Duration FOR_OTHERS = Duration.ofSeconds(10);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<JobKey, Left> left = new LinkedHashMap<>();
    private final Set<String> activitiesLogged = new LinkedHashSet<>();

    /**
     * A job that this process leaves out of its claims until that time of the monotonic clock, with the length of its
     * last pause.
     */
    private record Left(String taskQueue, long until, Duration pause) {}

    /** Returns the jobs that a claim of this queue leaves to other workers now. */
    public Set<JobKey> of(String taskQueue, long now) {
        lock.lock();
        try {
            if (left.isEmpty()) {
                return Set.of();
            }
            dropOver(now - FORGOTTEN_AFTER.toNanos());
            return left.entrySet().stream()
                    .filter(job -> job.getValue().taskQueue.equals(taskQueue) && job.getValue().until - now > 0)
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toUnmodifiableSet());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a job that was claimed here and can't be read back for other workers, or makes it an incident. Its slot is
     * free already.
     */
    public void leave(ClaimedJob job, ActivityQueue queue, Throwable why, AttemptServices host) {
        Instant now = host.deadlines().clock().now();
        String worker = host.surroundings().identity();
        Failure failure = host.code().failure(job.activity(), why);
        String shown = AttemptReport.shown("worker " + worker + " can't read it: ", failure);
        Notes notes = notes(job, now);
        Instant since = notes == null ? null : notes.unreadSince();
        Duration soFar = since == null ? Duration.ZERO : Duration.between(since, now);
        AttemptEvents events = new AttemptEvents(job.key().seq(), job.attempt(), job.lease(), now, worker, null);
        if (notes != null && soFar.compareTo(LEFT_FOR) >= 0) {
            bury(job, new AttemptResult.Buried(true, Notes.NOT_READ, failure), shown, notes, events, host);
            return;
        }
        if (notes != null && since == null) {
            notes.add(events.last(Notes.NOT_READ, failure));
        }
        Duration pause = pause(job, queue, host.deadlines().clock().nanoTime(), LEFT_FOR.minus(soFar));
        tell(job, shown, since == null);
        JobUpdate unread = new JobUpdate.Unread(
                job.key(),
                job.lease(),
                pause == null ? FOR_OTHERS : Duration.ZERO,
                since == null && notes != null ? notes.json() : null,
                shown);
        host.reports().end(unread, () -> host.deadlines().in(pause == null ? FOR_OTHERS : pause, queue::nudge));
    }

    private void bury(
            ClaimedJob job,
            AttemptResult.Buried buried,
            String shown,
            Notes notes,
            AttemptEvents events,
            AttemptServices host) {
        String fingerprint = Fingerprint.notRead(job.activity());
        notes.add(events.raised(buried, job.crashes(), fingerprint));
        forget(job.key());
        FailedAttempt.of(job).log(host.surroundings().telemetry().failures(), buried, fingerprint);
        String all = notes.json();
        host.reports()
                .end(
                        new JobUpdate.Bury(
                                job.key(),
                                job.lease(),
                                true,
                                job.attempt(),
                                fingerprint,
                                all == null ? "[]" : all,
                                shown,
                                null,
                                null),
                        () -> {});
    }

    /**
     * Returns the job's notes; null where the notes are what can't be read: then none is added, and the job never
     * becomes an incident.
     */
    private static @Nullable Notes notes(ClaimedJob job, Instant now) {
        try {
            return Notes.of(job, now);
        } catch (RuntimeException e) {
            log.debug("the notes of {} can't be read", job.key(), e);
            return null;
        }
    }

    /**
     * Leaves the job out of claims from now on, for twice as long as the last time; returns null where too many are
     * left out already.
     */
    private @Nullable Duration pause(ClaimedJob job, ActivityQueue queue, long now, Duration most) {
        lock.lock();
        try {
            Left before = left.remove(job.key());
            if (left.size() >= MOST) {
                dropOver(now);
            }
            if (left.size() >= MOST) {
                return null;
            }
            Duration twice = before == null ? FIRST_PAUSE : before.pause.multipliedBy(2);
            Duration next = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
            Duration pause = most.isPositive() && most.compareTo(next) < 0 ? most : next;
            left.put(job.key(), new Left(queue.name(), now + pause.toNanos(), next));
            return pause;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the jobs whose pause was over by then: another worker has them, or they are claimed here again. */
    private void dropOver(long then) {
        left.values().removeIf(job -> job.until - then <= 0);
    }

    private void forget(JobKey key) {
        lock.lock();
        try {
            left.remove(key);
        } finally {
            lock.unlock();
        }
    }

    /** Logs once for each activity, as a deployment may meet thousands of such jobs. */
    private void tell(ClaimedJob job, String shown, boolean first) {
        boolean news;
        lock.lock();
        try {
            news = activitiesLogged.add(job.activity());
        } finally {
            lock.unlock();
        }
        if (news) {
            log.warn(
                    "{} of {} is left to other workers; if none can read it for {}, it becomes an incident. Further jobs of"
                            + " this activity that can't be read here are logged at level DEBUG only. {}",
                    job.activity(),
                    job.key(),
                    LEFT_FOR,
                    Bounds.lines(shown));
        } else if (first) {
            log.debug("{} of {} is left to other workers: {}", job.activity(), job.key(), Bounds.lines(shown));
        }
    }
}
