package dev.durable.internal.attempt;

import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityTimeoutUpdated;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.JobNotes;
import dev.durable.store.ClaimedJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The informing events of an activity (failed attempts, lost workers, moved deadlines), which travel with its job and
 * are written to the history just before its outcome, so that a thousand retries do not wake a run a thousand times. Of
 * each kind the last twenty are kept; the oldest of them counts those that were dropped before it.
 */
public final class Notes {
    static final int KEPT_OF_A_KIND = 20;
    static final String FAILED = "failed";
    static final String TIMED_OUT = "timed out";
    public static final String DISCARDED = "discarded";
    static final String WORKER_LOST = "worker lost";
    /** The reason of a note that the transaction of the body was ended from outside; no attempt is used. */
    static final String OUTAGE = "outage";
    /**
     * The reason of a note that a worker claimed the job and could not read it; no attempt is used, and nothing failed.
     */
    static final String NOT_READ = "not read";

    private final ReentrantLock lock = new ReentrantLock();
    private final List<HistoryEvent> events = new ArrayList<>();
    /**
     * The notes that orders have added in the store since the claim; they stay there until the job is claimed again.
     */
    private @Nullable String ordered;
    /** Goes on from the notes that travelled with the job; null where there are none yet. */
    Notes(@Nullable String json) {
        EventJson.decodeNotes(json).stream().map(EventJson::decode).forEach(this::append);
    }

    /** Returns the notes that travelled with the job, with one for the workers that it has lost since. */
    static Notes of(ClaimedJob job, Instant now) {
        Notes notes = new Notes(job.notes());
        int notNoted = job.crashes() - notes.workersLost();
        if (notNoted > 0) {
            notes.add(new ActivityAttemptFailed(
                    0, now, job.key().seq(), job.attempt(), WORKER_LOST, null, null, notNoted - 1));
        }
        return notes;
    }

    void add(HistoryEvent.Informing event) {
        lock.lock();
        try {
            append(event);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The number of outages that ended the job's transaction.
     *
     * @param inARow those since anything else was noted
     * @param all those of the job's whole life
     */
    record Outages(int inARow, int all) {}

    /** Adds an outage. Consecutive outages are one note with a count, which is returned. */
    Outages outage(ActivityAttemptFailed outage) {
        lock.lock();
        try {
            int before = 0;
            if (!events.isEmpty()
                    && events.getLast() instanceof ActivityAttemptFailed last
                    && last.reason().equals(OUTAGE)) {
                events.removeLast();
                before = last.omitted() + 1;
            }
            append(before == 0 ? outage : counting(outage, before));
            return new Outages(before + 1, count(OUTAGE));
        } finally {
            lock.unlock();
        }
    }

    private void append(HistoryEvent event) {
        events.add(event);
        dropOldest(kind(event));
    }

    /** Returns all of this worker's notes, for {@link #restore}. */
    List<HistoryEvent> taken() {
        lock.lock();
        try {
            return List.copyOf(events);
        } finally {
            lock.unlock();
        }
    }

    /** Drops the notes that were added since, as the store does not take them. */
    void restore(List<HistoryEvent> taken) {
        lock.lock();
        try {
            events.clear();
            events.addAll(taken);
        } finally {
            lock.unlock();
        }
    }

    int workersLost() {
        lock.lock();
        try {
            return count(WORKER_LOST);
        } finally {
            lock.unlock();
        }
    }

    private int count(String kind) {
        int count = 0;
        for (HistoryEvent event : events) {
            count += kind(event).equals(kind) ? 1 + ((ActivityAttemptFailed) event).omitted() : 0;
        }
        return count;
    }

    /** Returns since when no worker that claimed the job could read it; null where one could, or none tried. */
    @Nullable
    Instant unreadSince() {
        lock.lock();
        try {
            ActivityAttemptFailed unread = unread();
            return unread == null ? null : unread.at();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that this worker could read the job: an existing note about others that could not gets its end. Returns
     * whether there was such a note.
     */
    boolean read(Instant now) {
        lock.lock();
        try {
            ActivityAttemptFailed unread = unread();
            if (unread == null) {
                return false;
            }
            events.set(
                    events.size() - 1,
                    new ActivityAttemptFailed(
                            unread.id(),
                            unread.at(),
                            unread.seq(),
                            unread.attempt(),
                            NOT_READ,
                            unread.failure(),
                            now,
                            unread.omitted()));
            return true;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable ActivityAttemptFailed unread() {
        return !events.isEmpty()
                        && events.getLast() instanceof ActivityAttemptFailed last
                        && last.reason().equals(NOT_READ)
                        && last.nextAttemptAt() == null
                ? last
                : null;
    }

    /** Replaces the notes that orders have added by those that the store reports. */
    void hear(@Nullable String added) {
        lock.lock();
        try {
            ordered = added;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the notes with those that orders have added, for the activity's end; null where there are none. */
    @Nullable
    String all() {
        lock.lock();
        try {
            return JobNotes.joined(json(), ordered);
        } finally {
            lock.unlock();
        }
    }

    /** Returns this worker's notes as a JSON array; null where there are none. */
    @Nullable
    String json() {
        lock.lock();
        try {
            return events.isEmpty()
                    ? null
                    : EventJson.encodeNotes(
                            events.stream().map(EventJson::encode).toList());
        } finally {
            lock.unlock();
        }
    }

    private void dropOldest(String kind) {
        List<HistoryEvent> same =
                events.stream().filter(event -> kind(event).equals(kind)).toList();
        if (same.size() > KEPT_OF_A_KIND) {
            HistoryEvent dropped = same.get(0);
            HistoryEvent next = same.get(1);
            events.set(events.indexOf(next), standingFor(dropped, next));
            events.remove(dropped);
        }
    }

    private static HistoryEvent standingFor(HistoryEvent dropped, HistoryEvent next) {
        return dropped instanceof ActivityAttemptFailed gone && next instanceof ActivityAttemptFailed kept
                ? counting(kept, gone.omitted() + 1)
                : next;
    }

    private static ActivityAttemptFailed counting(ActivityAttemptFailed kept, int before) {
        return new ActivityAttemptFailed(
                kept.id(),
                kept.at(),
                kept.seq(),
                kept.attempt(),
                kept.reason(),
                kept.failure(),
                kept.nextAttemptAt(),
                kept.omitted() + before,
                kept.remainingAttempts());
    }

    private static String kind(HistoryEvent event) {
        return switch (event) {
            case ActivityAttemptFailed failed ->
                Set.of(WORKER_LOST, NOT_READ, OUTAGE).contains(failed.reason()) ? failed.reason() : FAILED;
            case ActivityTimeoutUpdated ignored -> "timeout updated";
            default -> event.type();
        };
    }
}
