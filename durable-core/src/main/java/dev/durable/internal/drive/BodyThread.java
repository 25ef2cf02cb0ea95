package dev.durable.internal.drive;

import dev.durable.internal.intercept.ThreadState;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread that is running an activity's body. An interrupt reaches that body or no code at all: one that arrives
 * late is cleared before the thread's next task.
 */
public final class BodyThread {
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;
    private @Nullable ThreadState before;

    /** Records that the body begins on this thread. */
    public void enter() {
        before = ThreadState.ofCurrent();
        set(Thread.currentThread());
    }

    /**
     * Records that the body has ended, and restores the thread's state of before for its next task. Called on that
     * thread.
     */
    public void leave() {
        set(null);
        Thread.interrupted();
        ThreadState found = before;
        if (found != null) {
            found.restore();
        }
    }

    /** Interrupts the body, if a thread runs it. */
    public void interrupt() {
        lock.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the name of the body's thread and the top of its stack; empty once the body has ended. */
    public Optional<String> where() {
        lock.lock();
        try {
            return Optional.ofNullable(thread).map(BodyThread::describe);
        } finally {
            lock.unlock();
        }
    }

    private void set(@Nullable Thread next) {
        lock.lock();
        try {
            thread = next;
        } finally {
            lock.unlock();
        }
    }

    private static String describe(Thread running) {
        StackTraceElement[] stack = running.getStackTrace();
        return "thread " + running.getName() + (stack.length == 0 ? "" : " is at " + stack[0]);
    }
}
