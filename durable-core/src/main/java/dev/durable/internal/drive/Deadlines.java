package dev.durable.internal.drive;

import dev.durable.internal.text.Thrown;
import dev.durable.store.StoreClock;
import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timers of a process: runs short actions at their time on the monotonic clock, such as timeouts of attempts,
 * heartbeats that were throttled, and reads of a queue for a retry that is due. The actions must be quick and must not
 * run user code.
 *
 * <p>A {@link Step} on the store's clock, which tests turn on virtual time: a scheduler of the JDK has no clock that could be
 * set (docs/decisions/0098).
 */
public final class Deadlines implements Step {
    private static final Logger log = LoggerFactory.getLogger(Deadlines.class);

    private final StoreClock clock;
    private final UnaryOperator<Throwable> loggable;
    private final ReentrantLock lock = new ReentrantLock();
    private final TreeSet<Deadline> ahead = new TreeSet<>();
    private long entered;
    /** The time at which the loop wakes up next by itself; null for never. */
    private @Nullable Long nextLook;

    private volatile Runnable wake = () -> {};

    /**
     * @param clock the clock of the deadlines
     * @param loggable removes what must not be logged from exceptions of actions
     */
    public Deadlines(StoreClock clock, UnaryOperator<Throwable> loggable) {
        this.clock = clock;
        this.loggable = loggable;
    }

    /** Sets the action that wakes the loop when a deadline is entered that is earlier than its next wake-up. */
    public void onEarlier(Runnable loop) {
        this.wake = loop;
    }

    public StoreClock clock() {
        return clock;
    }

    /** Enters an action that runs once the wait is over. */
    public Deadline in(Duration wait, Runnable action) {
        boolean earlier;
        Deadline deadline;
        long at = clock.nanoTime() + Jitter.bounded(wait).toNanos();
        lock.lock();
        try {
            deadline = new Deadline(at, entered++, action);
            ahead.add(deadline);
            // An entry that comes first only because those before it were cancelled needs no wake-up: the loop wakes in
            // time anyway.
            earlier = nextLook == null || at - nextLook < 0;
            nextLook = earlier ? Long.valueOf(at) : nextLook;
        } finally {
            lock.unlock();
        }
        if (earlier) {
            wake.run();
        }
        return deadline;
    }

    public void cancel(@Nullable Deadline deadline) {
        if (deadline == null) {
            return;
        }
        lock.lock();
        try {
            ahead.remove(deadline);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Duration runOnce() {
        for (Deadline due = takeDue(); due != null; due = takeDue()) {
            try {
                due.action.run();
            } catch (Throwable e) {
                Thrown.quietly(() -> log.error("a deadline's action failed", loggable.apply(e)));
            }
        }
        return untilFirst();
    }

    private @Nullable Deadline takeDue() {
        lock.lock();
        try {
            boolean due = !ahead.isEmpty() && ahead.first().at - clock.nanoTime() <= 0;
            return due ? ahead.pollFirst() : null;
        } finally {
            lock.unlock();
        }
    }

    private Duration untilFirst() {
        lock.lock();
        try {
            nextLook = ahead.isEmpty() ? null : ahead.first().at;
            return nextLook == null ? UNTIL_WOKEN : Duration.ofNanos(Math.max(0, nextLook - clock.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    public static final class Deadline implements Comparable<Deadline> {
        private final long at;
        private final long order;
        private final Runnable action;

        private Deadline(long at, long order, Runnable action) {
            this.at = at;
            this.order = order;
            this.action = action;
        }

        /** Compares by difference, as the monotonic clock may begin anywhere and wrap. */
        @Override
        public int compareTo(Deadline other) {
            int byTime = Long.compare(at - other.at, 0);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
