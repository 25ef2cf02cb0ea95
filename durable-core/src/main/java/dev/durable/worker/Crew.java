package dev.durable.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for bodies: as many as are needed at once, and no more wake-ups than that takes.
 *
 * <p>Handing each task to a thread of its own, as a cached pool does, costs a wake-up a task; where bodies are short that is
 * most of what they cost. Here at most one thread is being woken at any time, and before it begins it wakes the next if
 * more tasks wait. So bodies that block run side by side as fast as threads wake up, and bodies that do not are run by the
 * few threads that are awake.
 */
final class Crew implements Executor, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Crew.class);

    private final ThreadFactory factory;
    private final Spare spare;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final Set<Thread> threads = new HashSet<>();
    private int idle;
    /** Somebody was started or signalled and has not looked at the tasks yet. */
    private boolean waking;

    private boolean closed;

    /**
     * @param factory makes threads
     * @param spare what becomes of those without work
     */
    Crew(ThreadFactory factory, Spare spare) {
        this.factory = factory;
        this.spare = spare;
    }

    /**
     * Threads without work.
     *
     * @param most how many stay; others end at once
     * @param time how long each stays
     */
    record Spare(int most, Duration time) {
        /** A platform thread is dear to start, so each stays for a while. */
        static final Spare PLATFORM = new Spare(Integer.MAX_VALUE, Duration.ofMinutes(1));
        /** A virtual one is cheap to start and dear to put to sleep for a time: a few stay for good. */
        static final Spare VIRTUAL = new Spare(64, Step.UNTIL_WOKEN);
    }

    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            if (closed) {
                throw new RejectedExecutionException("the engine is closed");
            }
            tasks.add(task);
            wakeOne();
        } finally {
            lock.unlock();
        }
    }

    private void wakeOne() {
        if (waking || tasks.isEmpty()) {
            return;
        }
        waking = true;
        if (idle > 0) {
            work.signal();
        } else {
            startOne();
        }
    }

    /** Where the machine gives no thread more, those that there are take the tasks. */
    private void startOne() {
        try {
            Thread thread = factory.newThread(this::run);
            thread.start();
            threads.add(thread);
        } catch (RuntimeException | Error e) {
            waking = false;
            if (threads.isEmpty()) {
                tasks.clear();
                throw new RejectedExecutionException("no thread could be started", e);
            }
            log.warn("{} tasks wait: no thread could be started beside {} others", tasks.size(), threads.size(), e);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // yields a carrier, not a processor
    private void run() {
        boolean woken = true;
        for (Runnable task = take(woken); task != null; task = take(false)) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                log.error("a task failed", e);
            }
            // A virtual thread keeps its carrier until it waits: with tasks without end, workflow code would get none.
            if (Thread.currentThread().isVirtual()) {
                Thread.yield();
            }
        }
    }

    private @Nullable Runnable take(boolean started) {
        lock.lock();
        try {
            // An interrupt was meant for the task before.
            Thread.interrupted();
            waking &= !started;
            long patience = spare.time.toNanos();
            while (tasks.isEmpty()) {
                if (closed || patience <= 0 || idle >= spare.most) {
                    threads.remove(Thread.currentThread());
                    return null;
                }
                idle++;
                try {
                    patience = await(patience);
                } catch (InterruptedException e) {
                    patience = closed ? 0 : patience;
                } finally {
                    idle--;
                    waking = false;
                }
            }
            Runnable task = tasks.poll();
            wakeOne();
            return task;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // the loop is take's
    private long await(long patience) throws InterruptedException {
        if (spare.time.compareTo(Step.UNTIL_WOKEN) >= 0) {
            work.await();
            return patience;
        }
        return work.awaitNanos(patience);
    }

    /** Interrupts all; what has not begun never will. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            tasks.clear();
            threads.forEach(Thread::interrupt);
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
