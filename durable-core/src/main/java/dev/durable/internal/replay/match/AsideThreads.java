package dev.durable.internal.replay.match;

import dev.durable.internal.intercept.ThreadState;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The platform threads of an engine on which code runs that only looks at a run: queries, and the judgement of messages.
 * Such code gets arguments from outside and may compute without an end (a regular expression that backtracks), and a
 * JVM can end no thread. A virtual thread would keep its carrier for good then; where that is the last one, the virtual
 * thread that makes the turns of all runs would never get a carrier again. From a platform thread the operating system
 * takes the CPU.
 *
 * <p>Each call has a thread for itself, which stays for some seconds when the call has returned. The thread of a call
 * that was given up is lost until the call returns, and the next call gets another. While {@link #MOST_LOST} are lost no
 * call begins, as each lost thread that computes takes its share of the CPU from the rest of the process.
 *
 * <p>Workflow code itself runs on virtual threads, as a turn takes less time than two platform threads need for a
 * hand-over. Where it was given up and goes on computing, its carrier is lost; the run is noted here, so that the same
 * code takes no other carrier of this process.
 */
public final class AsideThreads implements AutoCloseable {
    /** The number of lost threads from which no call begins. */
    public static final int MOST_LOST = 16;

    private static final Logger log = LoggerFactory.getLogger(AsideThreads.class);
    private static final long IDLE_THREADS_STAY_SECONDS = 10;

    private final AtomicInteger lost = new AtomicInteger();
    private final Map<UUID, Thread> computing = new ConcurrentHashMap<>();
    private final ThreadFactory made = Thread.ofPlatform()
            .daemon()
            .name("durable-aside-", 0)
            .inheritInheritableThreadLocals(false)
            .factory();
    /** When it is shut down, each call gets a new thread: the client of a closed engine may still ask. */
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_THREADS_STAY_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            made,
            (call, closed) -> made.newThread(call).start());

    /** Returns whether so many threads are lost that no call may begin. */
    public boolean areUsedUp() {
        return lost.get() >= MOST_LOST;
    }

    /**
     * Begins a call on a thread.
     *
     * @param name the name of the thread during the call
     * @param loader its context class loader during the call
     * @param code the code, which throws nothing
     * @param end called on the same thread when the code has returned, and the thread has its own name and loader again
     * @throws OutOfMemoryError when the system has no thread to give
     */
    public Call begin(String name, ClassLoader loader, Runnable code, Runnable end) {
        Call call = new Call(name, loader, code, end);
        threads.execute(call);
        return call;
    }

    /** Notes that code of the run, which was given up, goes on computing on this virtual thread. */
    public void keepsCarrier(UUID run, Thread thread) {
        computing.values().removeIf(other -> !computes(other));
        computing.put(run, thread);
    }

    /** Returns the thread on which code of the run, which was given up, still computes; null without one. */
    public @Nullable Thread carriedBy(UUID run) {
        Thread thread = computing.isEmpty() ? null : computing.get(run);
        if (thread == null || computes(thread)) {
            return thread;
        }
        computing.remove(run, thread);
        return null;
    }

    private static boolean computes(Thread thread) {
        return thread.getState() == Thread.State.RUNNABLE;
    }

    /** Ends the threads that are idle; those with a call end when it returns. */
    @Override
    public void close() {
        threads.shutdown();
    }

    /** One call. The thread that waits for its end may interrupt it and give it up, which reaches no later call. */
    public final class Call implements Runnable {
        private final String name;
        private final ClassLoader loader;
        private final Runnable code;
        private final Runnable end;
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable Thread thread;
        private boolean givenUp;
        private boolean ended;

        private Call(String name, ClassLoader loader, Runnable code, Runnable end) {
            this.name = name;
            this.loader = loader;
            this.code = code;
            this.end = end;
        }

        @Override
        public void run() {
            ThreadState before = ThreadState.ofCurrent();
            try {
                if (enters(Thread.currentThread())) {
                    code.run();
                }
            } finally {
                try {
                    leave();
                    before.restore();
                } finally {
                    end.run();
                }
            }
        }

        private boolean enters(Thread current) {
            lock.lock();
            try {
                if (givenUp) {
                    return false;
                }
                thread = current;
            } finally {
                lock.unlock();
            }
            current.setName(name);
            current.setContextClassLoader(loader);
            return true;
        }

        private void leave() {
            lock.lock();
            try {
                if (givenUp && thread != null) {
                    int left = lost.decrementAndGet();
                    log.info("{}: code that was given up has returned; {} threads are lost now", name, left);
                }
                ended = true;
                thread = null;
                Thread.interrupted();
            } finally {
                lock.unlock();
            }
        }

        /** Interrupts the code, if a thread runs it. */
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

        /** Counts the thread as lost until the code returns; code that has not begun never does. */
        public void giveUp() {
            lock.lock();
            try {
                givenUp = !ended;
                if (givenUp && thread != null) {
                    tell(lost.incrementAndGet());
                }
            } finally {
                lock.unlock();
            }
        }

        private void tell(int all) {
            if (all < MOST_LOST) {
                log.warn(
                        "{}: a query or validator does not return, and its thread is lost until it does. {} threads of"
                                + " this engine are; at {} it judges no updates and answers no queries any more. Mend the"
                                + " code, and restart the process",
                        name,
                        all,
                        MOST_LOST);
            } else {
                log.error(
                        "{}: a query or validator does not return, and neither do those on {} other threads of this"
                                + " engine: it judges no updates and answers no queries until one of them does. Mend the"
                                + " code, and restart the process",
                        name,
                        all - 1);
            }
        }
    }
}
