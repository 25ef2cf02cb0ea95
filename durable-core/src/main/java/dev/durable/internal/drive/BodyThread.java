package dev.durable.internal.drive;

import dev.durable.internal.intercept.ThreadState;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread that is running an activity's body, so that an interrupt reaches this body or nobody. Interrupts reach the
 * body or nobody: one that came is not left to the thread's next task.
 */
public final class BodyThread {
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;
    private @Nullable ThreadState before;

    /** The body begins on this thread. */
    public void enter() {
        before = ThreadState.ofCurrent();
        set(Thread.currentThread());
    }

    /** The body has ended: its thread is for the next one as it was for this one. Called on that thread. */
    public void leave() {
        set(null);
        Thread.interrupted();
        ThreadState found = before;
        if (found != null) {
            found.restore();
        }
    }

    /** Interrupts the body, if it is on its thread. */
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

    /** Which thread it is on, and where; empty once it has ended. */
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
