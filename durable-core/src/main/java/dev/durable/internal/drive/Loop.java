package dev.durable.internal.drive;

import dev.durable.internal.text.Thrown;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that runs one {@link Step} again and again, sleeping for as long as the step says. Steps that keep leases
 * alive get a platform thread, because user code that burns its carrier may starve a virtual one; steps that switch
 * coroutines get a virtual one, because a hand-over between virtual threads is twenty times cheaper.
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
     * @param name the name of its thread, after durable-
     * @param step the step that it runs
     * @param virtual whether its thread is virtual
     * @param loggable removes what must not be logged from exceptions of the step
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

    /**
     * Notes for the loop of the calling thread, if it is a loop's thread, that its step makes progress although it has
     * not returned yet.
     */
    public static void progressed() {
        Loop current = CURRENT.get();
        if (current != null) {
            current.lastProgressNanos = System.nanoTime();
        }
    }

    /** Ends the current sleep, or the next one if the step is at work. */
    void wake() {
        // A wake-up that was not noticed yet will see additions before this call, too.
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

    /** Returns the nanoseconds since the step returned last or reported progress; 0 while it sleeps, however long. */
    long nanosSinceProgress() {
        return asleep ? 0 : System.nanoTime() - lastProgressNanos;
    }

    /** Makes the current call of the step the last one. */
    void stop() {
        stopped = true;
        wake();
    }

    /** Stops, and waits for the current call of the step to return, which a database that is away may keep for long. */
    void close(Duration longest) {
        stop();
        try {
            // A thread that was never started, as the system had none to give, has nothing to end.
            if (thread.isAlive() && !thread.join(longest)) {
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

    /**
     * Sleeps; without a timer where the sleep has no end of its own, as most here: a timed sleep of a virtual thread
     * costs a visit to the scheduler's timer.
     */
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
