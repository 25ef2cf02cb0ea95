package dev.durable.internal.drive;

import dev.durable.internal.text.Thrown;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor that runs at most a given number of tasks at once on the threads of another executor and queues the rest
 * in order.
 */
public final class BoundedExecutor implements Executor {
    private static final Logger log = LoggerFactory.getLogger(BoundedExecutor.class);

    private final Executor threads;
    private final int most;
    private final UnaryOperator<Throwable> loggable;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private int running;

    public BoundedExecutor(Executor threads, int most, UnaryOperator<Throwable> loggable) {
        this.loggable = loggable;
        this.threads = threads;
        this.most = most;
    }

    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            if (running == most) {
                waiting.add(task);
                return;
            }
            running++;
        } finally {
            lock.unlock();
        }
        try {
            threads.execute(() -> runAll(task));
        } catch (RuntimeException refused) {
            Runnable left = next();
            if (left != null) {
                execute(left);
            }
            throw refused;
        }
    }

    /** Takes out a task that has not begun; the caller passes the very task that it queued. */
    void withdraw(Runnable task) {
        lock.lock();
        try {
            waiting.remove(task);
        } finally {
            lock.unlock();
        }
    }

    private void runAll(Runnable first) {
        for (Runnable task = first; task != null; task = next()) {
            try {
                task.run();
            } catch (Throwable e) {
                Thrown.quietly(() -> log.error("a task failed", loggable.apply(e)));
            }
        }
    }

    /** Returns the next task for this thread; null where there is none, and then the thread's place is free. */
    private @Nullable Runnable next() {
        lock.lock();
        try {
            Runnable task = waiting.poll();
            if (task == null) {
                running--;
            }
            return task;
        } finally {
            lock.unlock();
        }
    }
}
