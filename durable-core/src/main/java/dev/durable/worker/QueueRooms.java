package dev.durable.worker;

import dev.durable.DurableException;
import dev.durable.QueueFullException;
import dev.durable.QueueLimits;
import dev.durable.StoreUnavailableException;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a queue has room for another start, where it has a maximum depth; in between two readings this process counts
 * its own starts.
 *
 * <pre>
 *                    younger than      older: the start                               older than a minute, or unknown
 *   no maximum       1 s               goes on, and it is read aside                  waits for the reading
 *   a maximum        100 ms            waits for the reading, or for nobody who reads already
 * </pre>
 *
 * So a maximum that was just set, and whose hint was lost, lets one start through that came within a minute of another.
 * A refusal rests on a reading no older than 100 ms: a full queue is not counted again for each. Starts in a caller's
 * transaction go by what is known: the caller's pool may have no second connection.
 */
final class QueueRooms implements Step {
    private static final Logger log = LoggerFactory.getLogger(QueueRooms.class);
    private static final long UNLIMITED_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long UNLIMITED_AT_MOST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long LIMITED_NANOS = Duration.ofMillis(100).toNanos();

    private final HistoryStore store;
    private final LongSupplier nanoTime;
    private final Set<String> toRead = ConcurrentHashMap.newKeySet();
    private volatile Runnable wake = () -> {};
    private final ConcurrentHashMap<String, Room> rooms = new ConcurrentHashMap<>();
    private final ReentrantLock reading = new ReentrantLock();

    QueueRooms(HistoryStore store) {
        this(store, System::nanoTime);
    }

    QueueRooms(HistoryStore store, LongSupplier nanoTime) {
        this.store = store;
        this.nanoTime = nanoTime;
    }

    /** Who cranks what is read aside. */
    void onStale(Runnable loop) {
        wake = loop;
    }

    @Override
    public Duration runOnce() {
        for (String taskQueue : List.copyOf(toRead)) {
            toRead.remove(taskQueue);
            try {
                read(taskQueue);
            } catch (DurableException e) {
                log.debug("the depth of queue {} is not known: {}", taskQueue, e.getMessage());
            }
        }
        return UNTIL_WOKEN;
    }

    /** The limits may be others now. */
    void forget() {
        rooms.clear();
    }

    /**
     * Counts one more.
     *
     * @param what is to be started, for the error
     * @param joined whether the start is part of a transaction that its caller has open
     * @throws QueueFullException if there is no room
     */
    void ask(String taskQueue, String what, boolean joined) {
        if (take(taskQueue, 1, joined) == 0) {
            throw full(taskQueue, what);
        }
    }

    /**
     * Counts more, as many as there is room for, up to so many. What was counted before must have been started, so that a
     * reading sees it.
     */
    int take(String taskQueue, int most, boolean joined) {
        Room room = known(taskQueue, joined);
        if (room == null) {
            return most;
        }
        boolean justRead = room.age(nanoTime.getAsLong()) < LIMITED_NANOS;
        int taken = room.take(most);
        return taken == most || joined || justRead ? taken : read(taskQueue).take(most);
    }

    /** That there is no room for it. */
    QueueFullException full(String taskQueue, String what) {
        Room room = rooms.get(taskQueue);
        return new QueueFullException("task queue " + taskQueue + " is full: its maxDepth is "
                + (room == null ? "reached" : room.maxDepth) + ", and as much waits in it already, so " + what
                + " was not started. Usual cause: its workers are stopped, paused or too slow. Start more workers"
                + " for it, try again later, or raise the limit: client.queues().limits(\"" + taskQueue
                + "\", l -> l.maxDepth(…)).");
    }

    private @Nullable Room known(String taskQueue, boolean joined) {
        Room room = rooms.get(taskQueue);
        if (joined || (room != null && mayBeServed(room, taskQueue))) {
            return room;
        }
        if (room != null && !reading.tryLock()) {
            return room; // Somebody reads already.
        }
        if (room == null) {
            reading.lock();
        }
        try {
            return read(taskQueue);
        } catch (StoreUnavailableException e) {
            log.debug("the depth of queue {} is not known: {}", taskQueue, e.getMessage());
            return null; // The start itself waits for the database.
        } finally {
            reading.unlock();
        }
    }

    private boolean mayBeServed(Room room, String taskQueue) {
        long age = room.age(nanoTime.getAsLong());
        if (room.maxDepth != null) {
            return age < LIMITED_NANOS;
        }
        if (age >= UNLIMITED_AT_MOST_NANOS) {
            return false;
        }
        if (age >= UNLIMITED_NANOS && toRead.add(taskQueue)) {
            wake.run();
        }
        return true;
    }

    private Room read(String taskQueue) {
        QueueLimits limits = store.queueRules(List.of(taskQueue)).of(taskQueue).limits();
        Integer maxDepth = limits.maxDepth();
        int depth = maxDepth == null ? 0 : store.depth(taskQueue, maxDepth);
        Room room = new Room(maxDepth, new AtomicInteger(depth), nanoTime.getAsLong());
        rooms.put(taskQueue, room);
        return room;
    }

    private record Room(@Nullable Integer maxDepth, AtomicInteger depth, long readAtNanos) {
        long age(long nanos) {
            return nanos - readAtNanos;
        }

        int take(int most) {
            if (maxDepth == null) {
                return most;
            }
            int limit = maxDepth;
            int before = depth.getAndUpdate(waiting -> waiting + Math.clamp((long) limit - waiting, 0, most));
            return Math.clamp((long) limit - before, 0, most);
        }
    }
}
