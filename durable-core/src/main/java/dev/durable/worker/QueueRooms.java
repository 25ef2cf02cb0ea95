package dev.durable.worker;

import dev.durable.QueueFullException;
import dev.durable.QueueLimits;
import dev.durable.StoreUnavailableException;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a queue has room for another start, where it has a maximum depth. What is known of a queue is read again by
 * the first start after a second, or after a tenth of one where there is a maximum, and before any refusal; in between
 * this process counts its own starts. Starts in a caller's transaction go by what is known: the caller's pool may have no
 * second connection.
 */
final class QueueRooms {
    private static final Logger log = LoggerFactory.getLogger(QueueRooms.class);
    private static final long UNLIMITED_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LIMITED_NANOS = Duration.ofMillis(100).toNanos();

    private final HistoryStore store;
    private final ConcurrentHashMap<String, Room> rooms = new ConcurrentHashMap<>();
    private final ReentrantLock reading = new ReentrantLock();

    QueueRooms(HistoryStore store) {
        this.store = store;
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
        Room room = known(taskQueue, joined);
        if (room == null || room.takes()) {
            return;
        }
        Room now = joined ? room : read(taskQueue);
        if (!now.takes()) {
            throw new QueueFullException("task queue " + taskQueue + " is full: its maxDepth is " + now.maxDepth
                    + ", and as much waits in it already, so " + what
                    + " was not started. Usual cause: its workers are stopped, paused or too slow. Start more workers"
                    + " for it, try again later, or raise the limit: client.queues().limits(\"" + taskQueue
                    + "\", l -> l.maxDepth(…)).");
        }
    }

    private @Nullable Room known(String taskQueue, boolean joined) {
        Room room = rooms.get(taskQueue);
        if ((room != null && room.isFresh(System.nanoTime())) || joined) {
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

    private Room read(String taskQueue) {
        QueueLimits limits = store.queueRules(List.of(taskQueue)).of(taskQueue).limits();
        Integer maxDepth = limits.maxDepth();
        int depth = maxDepth == null ? 0 : store.depth(taskQueue, maxDepth);
        Room room = new Room(maxDepth, new AtomicInteger(depth), System.nanoTime());
        rooms.put(taskQueue, room);
        return room;
    }

    private record Room(@Nullable Integer maxDepth, AtomicInteger depth, long readAtNanos) {
        boolean isFresh(long nanos) {
            return nanos - readAtNanos < (maxDepth == null ? UNLIMITED_NANOS : LIMITED_NANOS);
        }

        boolean takes() {
            return maxDepth == null || depth.incrementAndGet() <= maxDepth;
        }
    }
}
