package dev.durable.internal.dispatch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.durable.DurableException;
import dev.durable.QueueFullException;
import dev.durable.StoreUnavailableException;
import dev.durable.client.QueueLimits;
import dev.durable.internal.drive.BlockedCallers;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.internal.observe.Tries;
import dev.durable.store.Bounds;
import dev.durable.store.HistoryStore;
import dev.durable.store.Thrown;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whether a task queue has room for another start under its {@code maxDepth}, by a recent reading of its depth
 * and the starts that this process has made since.
 *
 * <pre>
 *                    younger than      older: the start                               older than a minute, or unknown
 *   no maximum       1 s               goes on, and it is read aside                  waits for the reading
 *   a maximum        100 ms            waits for the reading, of which there is one at a time
 * </pre>
 *
 * So a maximum that was just set, and whose nudge was lost, lets one start through that came within a minute of
 * another.
 * A refusal rests on a reading no older than 100 ms: a full queue is not counted again for each. Starts in a caller's
 * transaction go by what is known: the caller's pool may have no second connection.
 *
 * <p>A queue is read by one at a time, whose answer holds for all who have waited for it; queues do not wait for each other.
 * Of more than 10,000 queues, those that were not asked for lately are forgotten, and read again when they are.
 */
public final class QueueDepthChecks implements Step {
    private static final Logger log = LoggerFactory.getLogger(QueueDepthChecks.class);
    private static final long UNLIMITED_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long UNLIMITED_AT_MOST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long LIMITED_NANOS = Duration.ofMillis(100).toNanos();

    private final HistoryStore store;
    private final Drive drive;
    private final Tries tries;
    private final LongSupplier nanoTime;
    private final Set<String> toRead = ConcurrentHashMap.newKeySet();
    private volatile Runnable wake = () -> {};
    private final Cache<String, Door> doors = Caffeine.newBuilder()
            .maximumSize(Bounds.QUEUES)
            .executor(Runnable::run)
            .build();

    /** How long a caller goes on waiting for a reading. */
    @FunctionalInterface
    public interface Patience {
        Duration left();
    }

    /**
     * Reads by this store.
     *
     * @param drive reads for callers, who wait by it
     * @param tries remembers queues that can't be read
     */
    public QueueDepthChecks(HistoryStore store, Drive drive, Tries tries) {
        this(store, drive, tries, System::nanoTime);
    }

    QueueDepthChecks(HistoryStore store, Drive drive, Tries tries, LongSupplier nanoTime) {
        this.tries = tries;
        this.store = store;
        this.drive = drive;
        this.nanoTime = nanoTime;
    }

    /** Wakes the loop that reads depths in the background. */
    public void onStale(Runnable loop) {
        wake = loop;
    }

    @Override
    public Duration runOnce() {
        for (String taskQueue : List.copyOf(toRead)) {
            toRead.remove(taskQueue);
            try {
                read(taskQueue, door(taskQueue));
            } catch (DurableException e) {
                log.debug("the depth of queue {} is not known: {}", Bounds.shown(taskQueue), e.getMessage());
            }
        }
        return UNTIL_WOKEN;
    }

    /** The limits may have changed: calls from now on do not use a reading that had begun before. */
    public void forget() {
        doors.invalidateAll();
    }

    /** Of how many queues something is known. */
    long size() {
        doors.cleanUp();
        return doors.estimatedSize();
    }

    /**
     * Counts one more.
     *
     * @param what is to be started, for the error
     * @param patience null where the start is part of a transaction that its caller has open, and waits for no reading
     * @throws QueueFullException if there is no room
     * @throws StoreUnavailableException if the caller's patience ends before it is known
     */
    public void ask(String taskQueue, String what, @Nullable Patience patience) {
        if (take(taskQueue, 1, patience) == 0) {
            throw full(taskQueue, what);
        }
    }

    /**
     * Counts more, as many as there is room for, up to so many. What was counted before must have been started, so that a
     * reading sees it.
     */
    public int take(String taskQueue, int most, @Nullable Patience patience) {
        Room room = known(taskQueue, patience);
        if (room == null) {
            return most;
        }
        boolean justRead = room.age(nanoTime.getAsLong()) < LIMITED_NANOS;
        int taken = room.take(most);
        if (taken == most || patience == null || justRead) {
            return taken;
        }
        try {
            return readOrWait(taskQueue, door(taskQueue), room, patience).take(most);
        } catch (ExecutionException e) {
            throw told(e);
        }
    }

    /** That there is no room for it. */
    public QueueFullException full(String taskQueue, String what) {
        Door door = doors.getIfPresent(taskQueue);
        Room room = door == null ? null : door.room;
        return new QueueFullException("task queue " + taskQueue + " is full: its maxDepth is "
                + (room == null ? "reached" : room.maxDepth) + ", and as much waits in it already, so " + what
                + " was not started. Usual cause: its workers are stopped, paused or too slow. Start more workers"
                + " for it, try again later, or raise the limit: client.queues().limits(\"" + taskQueue
                + "\", l -> l.maxDepth(…)).");
    }

    private @Nullable Room known(String taskQueue, @Nullable Patience patience) {
        Door door = patience == null ? doors.getIfPresent(taskQueue) : door(taskQueue);
        Room room = door == null ? null : door.room;
        if (door == null || patience == null || (room != null && mayBeServed(room, taskQueue))) {
            return room;
        }
        if (room != null && door.reading.get() != null) {
            return room; // Somebody reads already.
        }
        try {
            return readOrWait(taskQueue, door, room, patience);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof StoreUnavailableException away)) {
                throw told(e);
            }
            log.debug("the depth of queue {} is not known: {}", Bounds.shown(taskQueue), away.getMessage());
            return null; // The start itself waits for the database.
        }
    }

    private Door door(String taskQueue) {
        return doors.get(taskQueue, unknown -> new Door());
    }

    /**
     * What another reads while this one waits, else what is read now. Where the other could not read, nor is it tried by
     * each who has waited.
     *
     * @param seen what was known before
     */
    @SuppressWarnings("ReferenceEquality") // whether it is another reading
    private Room readOrWait(String taskQueue, Door door, @Nullable Room seen, Patience patience)
            throws ExecutionException {
        CompletableFuture<Room> before = door.last;
        Room room = door.room;
        if (room != null && room != seen) {
            return room;
        }
        CompletableFuture<Room> reading = reading(taskQueue, door, before);
        try {
            return reading.isDone() ? reading.get() : drive.await(reading, patience.left());
        } catch (TimeoutException e) {
            throw new StoreUnavailableException("whether task queue " + Bounds.shown(taskQueue)
                    + " has room is not known: the database has not answered for as long as a call waits (callTimeout)."
                    + " Nothing was started. Usually the database is away or overloaded, or all connections of the pool"
                    + " are in use, which the log says. Try again later.");
        } catch (InterruptedException e) {
            throw BlockedCallers.interrupted(e);
        }
    }

    /**
     * The reading that goes on, else one that is begun now.
     *
     * @param before the last one that had ended when the caller looked; of those that ended since, the last is as good
     */
    @SuppressWarnings("ReferenceEquality") // whether it is another reading
    private CompletableFuture<Room> reading(String taskQueue, Door door, @Nullable CompletableFuture<Room> before) {
        CompletableFuture<Room> mine = new CompletableFuture<>();
        CompletableFuture<Room> other = door.reading.compareAndExchange(null, mine);
        if (other != null) {
            return other;
        }
        CompletableFuture<Room> since = door.last;
        if (since != null && since != before) {
            door.reading.set(null);
            var unused = since.whenComplete((room, error) -> settle(mine, room, error));
            return mine;
        }
        var unused = drive.ask(() -> {
            try {
                ended(door, mine, read(taskQueue, door), null);
            } catch (RuntimeException | Error e) {
                ended(door, mine, null, e);
            }
            return true;
        });
        return mine;
    }

    /** In this order: whoever finds none that goes on finds this one as the last. */
    private static void ended(
            Door door, CompletableFuture<Room> reading, @Nullable Room room, @Nullable Throwable error) {
        door.last = reading;
        door.reading.set(null);
        settle(reading, room, error);
    }

    private static void settle(CompletableFuture<Room> reading, @Nullable Room room, @Nullable Throwable error) {
        if (room != null) {
            reading.complete(room);
        } else {
            reading.completeExceptionally(Objects.requireNonNull(error));
        }
    }

    /** A new one for each who has waited. */
    private static RuntimeException told(ExecutionException e) {
        Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
        return cause instanceof StoreUnavailableException away
                ? new StoreUnavailableException(String.valueOf(away.getMessage()), away)
                : new DurableException(
                        "the depth of the task queue can't be read: "
                                + Thrown.of(cause).text(),
                        cause);
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

    private Room read(String taskQueue, Door door) {
        try {
            Room room = readNow(taskQueue, door);
            tries.worked("the depth of queue " + taskQueue);
            return room;
        } catch (RuntimeException e) {
            tries.failed("the depth of queue " + taskQueue, e);
            throw e;
        }
    }

    private Room readNow(String taskQueue, Door door) {
        QueueLimits limits = store.queueRules(List.of(taskQueue)).of(taskQueue).limits();
        Integer maxDepth = limits.maxDepth();
        int depth = maxDepth == null ? 0 : store.depth(taskQueue, maxDepth);
        Room room = new Room(maxDepth, new AtomicInteger(depth), nanoTime.getAsLong());
        door.room = room;
        return room;
    }

    /** A queue as it was read last, if it was, by one reader at a time. */
    private static final class Door {
        /** That which goes on. */
        final AtomicReference<@Nullable CompletableFuture<Room>> reading = new AtomicReference<>();
        /** That which ended last. */
        volatile @Nullable CompletableFuture<Room> last;

        volatile @Nullable Room room;
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
