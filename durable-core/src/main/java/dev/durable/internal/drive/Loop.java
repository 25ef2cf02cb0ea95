package dev.durable.internal.drive;

import dev.durable.store.Thrown;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that runs one {@link Step} again and again, sleeping for as long as the step says. A platform thread for
 * what keeps leases alive, because a virtual one may be starved by user code that burns its carrier; a virtual one for
 * what switches coroutines, because a hand-over between virtual threads is twenty times cheaper.
 */
public final class Loop implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Loop.class);
    private static final Duration AFTER_ERROR = Duration.ofSeconds(1);

    /** How long a close waits for the step. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    @SuppressWarnings("ThreadLocalUsage") // a thread is one loop's for its whole life
    private static final ThreadLocal<@Nullable Loop> CURRENT = new ThreadLocal<>();

    private final Step step;
    private final UnaryOperator<Throwable> loggable;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean woken;
    private volatile boolean stopped;
    private volatile boolean asleep;
    private volatile long lastProgressNanos = System.nanoTime();

    /**
     * @param name what its thread is called, after durable-
     * @param step what it does
     * @param virtual whether on a virtual thread
     * @param loggable what the step throws as it may be logged
     */
    public Loop(String name, Step step, boolean virtual, UnaryOperator<Throwable> loggable) {
        this.loggable = loggable;
        this.step = step;
        this.thread = virtual
                ? Thread.ofVirtual()
                        .name("durable-" + name)
                        .inheritInheritableThreadLocals(false)
                        .unstarted(this::run)
                : Thread.ofPlatform()
                        .daemon()
                        .name("durable-" + name)
                        .inheritInheritableThreadLocals(false)
                        .unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** Tells the loop of this thread, if it is one's, that its step gets on though it has not come back yet. */
    public static void progressed() {
        Loop current = CURRENT.get();
        if (current != null) {
            current.lastProgressNanos = System.nanoTime();
        }
    }

    /** Ends the current sleep, or the next one if the step is at work. */
    void wake() {
        // Still to be noticed: then what was added before this call will be seen, too.
        if (woken) {
            return;
        }
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nanoseconds since the step returned last, or said that it gets on; nothing while it sleeps, however long. */
    long nanosSinceProgress() {
        return asleep ? 0 : System.nanoTime() - lastProgressNanos;
    }

    /** The current call of the step is the last one. */
    void stop() {
        stopped = true;
        wake();
    }

    /** Stops, and waits for the current call of the step to return, which a database that is away may keep for long. */
    void close(Duration longest) {
        stop();
        try {
            if (!thread.join(longest)) {
                log.warn(
                        "{} is still at work after {} and ends when its call of the store does",
                        thread.getName(),
                        longest);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        close(PATIENCE);
    }

    private void run() {
        CURRENT.set(this);
        while (!stopped) {
            try {
                sleep(step.runOnce());
            } catch (InterruptedException e) {
                stopped = true;
            } catch (Throwable e) {
                Thrown.quietly(() ->
                        log.error("{} failed and goes on in {}", thread.getName(), AFTER_ERROR, loggable.apply(e)));
                sleep(AFTER_ERROR);
            }
            lastProgressNanos = System.nanoTime();
        }
    }

    /** A timed sleep of a virtual thread costs a visit to the scheduler's timer; most sleeps here have no end of their own. */
    @SuppressWarnings("WaitNotInLoop") // the loop is sleep's
    private long await(Duration duration, long left) throws InterruptedException {
        if (duration.compareTo(Step.UNTIL_WOKEN) >= 0) {
            changed.await();
            return left;
        }
        return changed.awaitNanos(left);
    }

    private void sleep(Duration duration) {
        lock.lock();
        try {
            long left = duration.toNanos();
            while (!woken && !stopped && left > 0) {
                asleep = true;
                left = await(duration, left);
            }
            woken = false;
        } catch (InterruptedException e) {
            stopped = true;
        } finally {
            lastProgressNanos = System.nanoTime();
            asleep = false;
            lock.unlock();
        }
    }
}
