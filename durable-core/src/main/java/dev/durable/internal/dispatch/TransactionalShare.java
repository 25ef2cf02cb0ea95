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
 * ended: then its connection is back. A job for which there is no place is not claimed; another process may claim it,
 * or this one when a place is free.
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
     * @param activities the transactional activities
     * @param size the number of places
     */
    public TransactionalShare(Set<String> activities, int size) {
        this.activities = Set.copyOf(activities);
        this.size = size;
        this.free = size;
    }

    /** Sets the action that is called for such a queue when places are free again. */
    public void onRefill(Consumer<String> claimer) {
        refill = claimer;
    }

    /** Returns whether jobs of this activity need a place. */
    public boolean counts(String activity) {
        return activities.contains(activity);
    }

    /** Returns whether jobs of any of these activities need a place. */
    boolean countsAny(Set<String> among) {
        return among.stream().anyMatch(activities::contains);
    }

    /** Returns those of the activities whose jobs need no place. */
    Set<String> others(Set<String> among) {
        return among.stream().filter(name -> !counts(name)).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns how many places these jobs need. */
    int needed(List<ClaimedJob> jobs) {
        return (int) jobs.stream().filter(job -> counts(job.activity())).count();
    }

    int size() {
        return size;
    }

    /** Takes places for jobs of a queue, as many as are free and at most so many; returns how many. */
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

    /** Notes that no job waits in this queue that would have needed more places than there were. */
    void sated(String taskQueue) {
        lock.lock();
        try {
            hungry.remove(taskQueue);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives places back. A quarter must be free before claims are woken, or each end would cost a claim of its own.
     * Each waiting queue is woken once: claims that find no job take places meanwhile, too, and queues that woke each
     * other for those would claim without end.
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
