package dev.durable.internal.dispatch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.durable.DurableException;
import dev.durable.QueueFullException;
import dev.durable.StoreUnavailableException;
import dev.durable.client.QueueLimits;
import dev.durable.internal.drive.BlockedCallers;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.observe.Tries;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a task queue has room for another start under its {@code maxDepth}, by a recent reading of its depth
 * and the starts that this process has made since.
 *
 * <pre>
 *                    younger than      older: the start                               older than a minute, or unknown
 *   no maximum       1 s               goes on, and the depth is read aside           waits for the reading
 *   a maximum        100 ms            waits for the reading, of which there is one at a time
 * </pre>
 *
 * So a maximum that was just set, and whose nudge was lost, lets one start through that came within a minute of
 * another. While one start waits for a reading, others use the reading before it, and wait only if that has no room for
 * them. A refusal is based on a reading no older than 100 ms, so that a full queue is not counted again for each start.
 * Starts in a caller's transaction use the last reading, as the caller's pool may have no second connection.
 *
 * <p>A queue has one reading under way, whose answer holds for all starts that wait for it; queues do not wait for each
 * other. Of more than 10,000 queues, those that were not asked for lately are forgotten, and read again when they are.
 */
public final class QueueDepthChecks {
    private static final Logger log = LoggerFactory.getLogger(QueueDepthChecks.class);
    private static final long UNLIMITED_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long UNLIMITED_AT_MOST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long LIMITED_NANOS = Duration.ofMillis(100).toNanos();

    private final HistoryStore store;
    private final Drive drive;
    private final Tries tries;
    private final LongSupplier nanoTime;
    private final Cache<String, Queue> queues = Caffeine.newBuilder()
            .maximumSize(Bounds.QUEUES)
            .executor(Runnable::run)
            .build();

    /** How long a caller goes on waiting for a reading. */
    @FunctionalInterface
    public interface Patience {
        Duration left();
    }

    /**
     * The last readings of a queue.
     *
     * @param reading the latest reading, which may be under way
     * @param before the result of the reading before it; null where there was none
     */
    private record Queue(
            CompletableFuture<Depth> reading, @Nullable Depth before) {
        @Nullable
        Depth depth() {
            return reading.state() == Future.State.SUCCESS ? reading.resultNow() : before;
        }
    }

    /** The result of a reading, with the starts that this process has made since. */
    private record Depth(@Nullable Integer maxDepth, AtomicInteger waiting, long readAtNanos) {
        int take(int most) {
            if (maxDepth == null) {
                return most;
            }
            int limit = maxDepth;
            int before = waiting.getAndUpdate(depth -> depth + Math.clamp((long) limit - depth, 0, most));
            return Math.clamp((long) limit - before, 0, most);
        }
    }

    /**
     * Creates checks that read this store.
     *
     * @param drive runs the readings for callers, and their waits
     * @param tries remembers queues that can't be read
     */
    public QueueDepthChecks(HistoryStore store, Drive drive, Tries tries) {
        this(store, drive, tries, System::nanoTime);
    }

    QueueDepthChecks(HistoryStore store, Drive drive, Tries tries, LongSupplier nanoTime) {
        this.store = store;
        this.drive = drive;
        this.tries = tries;
        this.nanoTime = nanoTime;
    }

    /** Forgets all readings, as the limits may have changed: later calls do not use a reading that had begun before. */
    public void forget() {
        queues.invalidateAll();
    }

    /** Returns the number of queues with a reading. */
    long size() {
        queues.cleanUp();
        return queues.estimatedSize();
    }

    /**
     * Counts one more start.
     *
     * @param what the start, for the error
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
     * Counts more starts, as many as there is room for and at most so many; returns how many. Starts counted before
     * must have been made, so that a reading sees them.
     */
    public int take(String taskQueue, int most, @Nullable Patience patience) {
        Depth depth = patience == null ? known(taskQueue) : recent(taskQueue, patience);
        if (depth == null) {
            return most;
        }
        boolean justRead = age(depth) < LIMITED_NANOS;
        int taken = depth.take(most);
        if (taken == most || patience == null || justRead) {
            return taken;
        }
        try {
            return await(taskQueue, newer(taskQueue, depth), patience).take(most);
        } catch (ExecutionException e) {
            throw told(e);
        }
    }

    /** Returns the exception for a queue without room. */
    public QueueFullException full(String taskQueue, String what) {
        Depth depth = known(taskQueue);
        return new QueueFullException("task queue " + taskQueue + " is full: its maxDepth is "
                + (depth == null ? "reached" : depth.maxDepth) + ", and as much waits in it already, so " + what
                + " was not started. Usual cause: its workers are stopped, paused or too slow. Start more workers"
                + " for it, try again later, or raise the limit: client.queues().limits(\"" + taskQueue
                + "\", l -> l.maxDepth(…)).");
    }

    private @Nullable Depth known(String taskQueue) {
        Queue queue = queues.getIfPresent(taskQueue);
        return queue == null ? null : queue.depth();
    }

    private long age(Depth depth) {
        return nanoTime.getAsLong() - depth.readAtNanos;
    }

    /** Returns a recent depth; null where the database is away, as the start itself waits for it then. */
    private @Nullable Depth recent(String taskQueue, Patience patience) {
        Queue queue = queues.getIfPresent(taskQueue);
        Depth depth = queue == null ? null : queue.depth();
        if (queue != null && depth != null) {
            long age = age(depth);
            boolean unlimited = depth.maxDepth == null;
            if (!queue.reading.isDone() || age < (unlimited ? UNLIMITED_NANOS : LIMITED_NANOS)) {
                return depth;
            }
            if (unlimited && age < UNLIMITED_AT_MOST_NANOS) {
                var unused = newer(taskQueue, depth);
                return depth;
            }
        }
        try {
            return await(taskQueue, newer(taskQueue, depth), patience);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof StoreUnavailableException away)) {
                throw told(e);
            }
            log.debug("the depth of queue {} is not known: {}", Bounds.shown(taskQueue), away.getMessage());
            return null;
        }
    }

    /** Returns the reading that is under way or has succeeded since the caller looked, else one that begins now. */
    @SuppressWarnings("ReferenceEquality") // whether it is another reading
    private CompletableFuture<Depth> newer(String taskQueue, @Nullable Depth seen) {
        CompletableFuture<Depth> mine = new CompletableFuture<>();
        CompletableFuture<Depth> latest = queues.asMap()
                .compute(
                        taskQueue,
                        (name, now) -> now != null
                                        && !now.reading.isCompletedExceptionally()
                                        && (now.depth() != seen || !now.reading.isDone())
                                ? now
                                : new Queue(mine, now == null ? seen : now.depth()))
                .reading;
        if (latest == mine) {
            var unused = drive.ask(() -> {
                try {
                    return mine.complete(read(taskQueue));
                } catch (Throwable e) {
                    return mine.completeExceptionally(e);
                }
            });
        }
        return latest;
    }

    private Depth await(String taskQueue, CompletableFuture<Depth> reading, Patience patience)
            throws ExecutionException {
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

    /** Creates an exception for one start, as several may have waited for the reading. */
    private static RuntimeException told(ExecutionException e) {
        Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
        return cause instanceof StoreUnavailableException away
                ? new StoreUnavailableException(String.valueOf(away.getMessage()), away)
                : new DurableException(
                        "the depth of the task queue can't be read: "
                                + Thrown.of(cause).text(),
                        cause);
    }

    private Depth read(String taskQueue) {
        try {
            QueueLimits limits =
                    store.queueRules(List.of(taskQueue)).of(taskQueue).limits();
            Integer maxDepth = limits.maxDepth();
            int waiting = maxDepth == null ? 0 : store.depth(taskQueue, maxDepth);
            tries.worked("the depth of queue " + taskQueue);
            return new Depth(maxDepth, new AtomicInteger(waiting), nanoTime.getAsLong());
        } catch (RuntimeException e) {
            tries.failed("the depth of queue " + taskQueue, e);
            throw e;
        }
    }
}
