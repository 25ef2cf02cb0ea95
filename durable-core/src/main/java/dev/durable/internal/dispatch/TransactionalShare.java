package dev.durable.internal.dispatch;

import dev.durable.store.ClaimedJob;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Limits how many transactional activities run at once in this process: each keeps a connection of the pool, and the
 * loops of the engine need the rest.
 *
 * <p>A place is taken before a job is claimed or inserted, as a slot is, and is free again when the body's thread has
 * ended:
 * then its connection is back. What finds no place is not claimed; others may, or this process when a place is free.
 */
public final class TransactionalShare {
    private final Set<String> activities;
    private final int size;
    private final ReentrantLock lock = new ReentrantLock();
    private int free;
    /** The queues whose last claim got fewer places than it needed, and that have not been woken since. */
    private final Set<String> hungry = new HashSet<>();

    private volatile Consumer<String> refill = taskQueue -> {};

    /**
     * @param activities the transactional ones
     * @param size places
     */
    public TransactionalShare(Set<String> activities, int size) {
        this.activities = Set.copyOf(activities);
        this.size = size;
        this.free = size;
    }

    /** Called for such a queue when places are free again. */
    public void onRefill(Consumer<String> claimer) {
        refill = claimer;
    }

    /** Whether jobs of this activity need a place. */
    public boolean counts(String activity) {
        return activities.contains(activity);
    }

    /** Whether any of these do. */
    boolean countsAny(Set<String> among) {
        return among.stream().anyMatch(activities::contains);
    }

    /** Those that need no place. */
    Set<String> others(Set<String> among) {
        return among.stream().filter(name -> !counts(name)).collect(Collectors.toUnmodifiableSet());
    }

    /** How many places these jobs need. */
    int needed(List<ClaimedJob> jobs) {
        return (int) jobs.stream().filter(job -> counts(job.activity())).count();
    }

    int size() {
        return size;
    }

    /** Takes as many places as there are, up to so many, for jobs of a queue. */
    public int take(String taskQueue, int most) {
        lock.lock();
        try {
            int taken = Math.min(most, free);
            free -= taken;
            if (taken < most) {
                hungry.add(taskQueue);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing waits in this queue that would have needed more places than there were. */
    void sated(String taskQueue) {
        lock.lock();
        try {
            hungry.remove(taskQueue);
        } finally {
            lock.unlock();
        }
    }

    /**
     * So many places are free again. A quarter must be free before claims are woken, or each end would cost a claim of
     * its own. Each
     * waiting queue is woken once: claims that only looked take places, too, and queues that woke each other for those
     * would claim without end.
     */
    public void giveBack(int places) {
        Set<String> told = Set.of();
        lock.lock();
        try {
            free += places;
            if (places > 0 && free >= Math.max(1, size / 4)) {
                told = Set.copyOf(hungry);
                hungry.clear();
            }
        } finally {
            lock.unlock();
        }
        told.forEach(refill);
    }
}
