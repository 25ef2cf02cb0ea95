package dev.durable.internal.commit;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Divides Durable's part of the heap equally among the engines that are open in this process.
 *
 * <p>Together they keep to the bounds that one engine has alone. The shares are equal rather than one account for all, so
 * that an engine whose database is away, or whose runs are large, takes nothing from the others.
 */
public final class HeapShare implements AutoCloseable {
    private static final long HEAP = Runtime.getRuntime().maxMemory();
    /** The bytes of runs in memory: a quarter of the heap. */
    private static final long CACHE = Math.max(16L << 20, HEAP / 4);
    /** The bytes that may wait in one place: an eighth of the heap, within bounds. */
    private static final long BACKLOG = Math.clamp(HEAP / 8, 8L << 20, 256L << 20);

    private static final Set<HeapShare> OPEN = ConcurrentHashMap.newKeySet();
    private static final ReentrantLock TELLING = new ReentrantLock();

    private final Runnable onChange;

    private HeapShare(Runnable onChange) {
        this.onChange = onChange;
    }

    /**
     * Takes the share of an engine that starts; the shares of the others become smaller.
     *
     * @param onChange called when the size of the share has changed, at once for the first time; by any thread
     */
    public static HeapShare take(Runnable onChange) {
        HeapShare share = new HeapShare(onChange);
        OPEN.add(share);
        tellAll();
        return share;
    }

    /** Calls the listeners, one thread at a time, so that the last call has the newest share. */
    private static void tellAll() {
        TELLING.lock();
        try {
            OPEN.forEach(share -> share.onChange.run());
        } finally {
            TELLING.unlock();
        }
    }

    /** Returns the bytes of the runs that one engine may keep in memory. */
    public static long cache() {
        return of(CACHE);
    }

    /**
     * Returns the bytes that may wait in one place of one engine (calls of one kind, claimed runs, claimed jobs) before
     * it takes no more.
     */
    public static long backlog() {
        return of(BACKLOG);
    }

    private static long of(long bytes) {
        return bytes / Math.max(1, OPEN.size());
    }

    /** Gives the share back, as the engine is closed; the shares of the others become larger. Idempotent. */
    @Override
    public void close() {
        if (OPEN.remove(this)) {
            tellAll();
        }
    }
}
