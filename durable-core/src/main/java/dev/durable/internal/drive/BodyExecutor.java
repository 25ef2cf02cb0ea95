package dev.durable.internal.drive;

import dev.durable.internal.text.Thrown;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread pool for activity bodies that creates as many platform threads as are needed at once and wakes at most one
 * thread at a time.
 *
 * <p>Handing each task to a thread of its own, as a cached pool does, costs a wake-up a task; where bodies are short
 * that is most of their cost (a quarter of a step, docs/decisions/0098). Here at most one thread is being woken at any
 * time, and before it begins it wakes the next if more tasks wait. So bodies that block run side by side as fast as
 * threads wake up, and bodies that do not are run by the few threads that are awake.
 *
 * <p>It is for platform threads. A virtual thread that waits for the lock here needs a carrier to take it, and each
 * thread that queues behind it, a loop that keeps leases alive among them, would wait for that carrier, too.
 */
final class BodyExecutor implements Executor, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BodyExecutor.class);

    private final ThreadFactory factory;
    private final Duration patience;
    private final UnaryOperator<Throwable> loggable;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final Set<Thread> threads = new HashSet<>();
    private int idle;
    /** True while a thread was started or signalled and has not taken a task yet. */
    private boolean waking;

    private boolean closed;

    /**
     * @param factory makes the threads
     * @param patience how long a thread without work stays
     * @param loggable removes what must not be logged from exceptions of tasks
     */
    BodyExecutor(ThreadFactory factory, Duration patience, UnaryOperator<Throwable> loggable) {
        this.loggable = loggable;
        this.factory = factory;
        this.patience = patience;
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

    /** Starts a thread; where that fails, the existing threads take the tasks. */
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

    private void run() {
        boolean woken = true;
        for (Runnable task = take(woken); task != null; task = take(false)) {
            try {
                task.run();
            } catch (Throwable e) {
                Thrown.quietly(() -> log.error("a task failed", loggable.apply(e)));
            }
        }
    }

    private @Nullable Runnable take(boolean started) {
        lock.lock();
        try {
            // An interrupt that is still set was meant for the task before.
            Thread.interrupted();
            waking &= !started;
            long left = patience.toNanos();
            while (tasks.isEmpty()) {
                if (closed || left <= 0) {
                    threads.remove(Thread.currentThread());
                    return null;
                }
                idle++;
                try {
                    left = work.awaitNanos(left);
                } catch (InterruptedException e) {
                    left = closed ? 0 : left;
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

    /** Interrupts all threads; tasks that have not begun never will. */
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
