package dev.durable.internal.attempt;

import dev.durable.ActivityOptions;
import dev.durable.history.TimeoutType;
import dev.durable.internal.drive.Deadlines;
import dev.durable.internal.drive.Jitter;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The timeouts of one running attempt, on this worker's monotonic clock: start-to-close, schedule-to-close, and the
 * longest silence between two heartbeats. Timeouts are therefore found while the database is away, too.
 */
final class AttemptWatch {
    private final Deadlines deadlines;
    private final @Nullable Duration heartbeatTimeout;
    private final @Nullable Instant expiresAt;
    private volatile @Nullable Instant scheduleToClose;
    private final BooleanSupplier storeIsSlow;
    private final Consumer<TimeoutType> timedOut;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Instant deadline;
    /** The deadline of start-to-close, or of an order that moved it, without regard to schedule-to-close. */
    private Instant ownEnd;

    private volatile long lastSign;
    private Deadlines.@Nullable Deadline closing;
    private Deadlines.@Nullable Deadline silence;
    private boolean begun;
    /** True where an order moved the deadline before the body began, so that the deadline stays. */
    private boolean movedByOthers;

    private boolean over;

    /**
     * @param options the timeouts
     * @param scheduleToClose when all attempts together must have ended; null is never
     * @param storeIsSlow returns whether the body waits for a checkpoint, so that its silence is not its fault
     * @param timedOut called once, with the timeout that ran out
     */
    AttemptWatch(
            Deadlines deadlines,
            ActivityOptions options,
            @Nullable Instant scheduleToClose,
            BooleanSupplier storeIsSlow,
            Consumer<TimeoutType> timedOut) {
        this.deadlines = deadlines;
        this.heartbeatTimeout = options.heartbeatTimeout();
        this.expiresAt = options.expiresAt();
        this.scheduleToClose = scheduleToClose;
        this.storeIsSlow = storeIsSlow;
        this.timedOut = timedOut;
        this.ownEnd = fromNow(options.startToClose());
        this.deadline = bounded(ownEnd);
    }

    /**
     * Returns the deadline that passed while the attempt waited for a thread; null where none did.
     *
     * @param toStart when its body must have begun; null is never
     */
    @Nullable
    TimeoutType late(@Nullable Instant toStart) {
        Instant now = deadlines.clock().now();
        Instant close = scheduleToClose;
        if (close != null && !now.isBefore(close)) {
            return TimeoutType.SCHEDULE_TO_CLOSE;
        }
        if (toStart == null || !now.isAfter(toStart)) {
            return null;
        }
        return expiresAt != null && !expiresAt.isAfter(toStart) ? TimeoutType.EXPIRY : TimeoutType.SCHEDULE_TO_START;
    }

    /**
     * Begins to watch, as the body runs from now on. A deadline that an order gave the attempt while it waited for its
     * thread stays.
     */
    void begin(Duration startToClose) {
        alive();
        lock.lock();
        try {
            begun = true;
            if (!movedByOthers) {
                move(startToClose);
            }
        } finally {
            lock.unlock();
        }
        if (heartbeatTimeout != null) {
            listenFor(heartbeatTimeout);
        }
    }

    Instant deadline() {
        return deadline;
    }

    /** Moves the deadline to now + timeout, but never beyond schedule-to-close. Returns the deadline before. */
    Instant move(Duration timeout) {
        return moveTo(fromNow(timeout), scheduleToClose);
    }

    /** Sets the schedule-to-close deadline that an operator has changed. */
    void closeBy(@Nullable Instant close) {
        lock.lock();
        try {
            moveTo(ownEnd, close);
        } finally {
            lock.unlock();
        }
    }

    /** Sets the deadline that an operator or a token holder has moved. */
    void endBy(Instant end) {
        lock.lock();
        try {
            movedByOthers = true;
            moveTo(end, scheduleToClose);
        } finally {
            lock.unlock();
        }
    }

    private Instant moveTo(Instant end, @Nullable Instant close) {
        lock.lock();
        try {
            Instant before = deadline;
            deadlines.cancel(closing);
            ownEnd = end;
            scheduleToClose = close;
            deadline = bounded(end);
            if (!over && (begun || movedByOthers)) {
                TimeoutType type = deadline.equals(close) ? TimeoutType.SCHEDULE_TO_CLOSE : TimeoutType.START_TO_CLOSE;
                Duration left = Duration.between(deadlines.clock().now(), deadline);
                closing = deadlines.in(left, () -> timedOut.accept(type));
            }
            return before;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the body has sent a heartbeat. */
    void alive() {
        lastSign = deadlines.clock().nanoTime();
    }

    /** Ends the watch, as the body has ended. */
    void end() {
        lock.lock();
        try {
            over = true;
            deadlines.cancel(closing);
            deadlines.cancel(silence);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time that is left until the deadline. */
    Duration left() {
        return Duration.between(deadlines.clock().now(), deadline);
    }

    private Instant fromNow(Duration timeout) {
        return deadlines.clock().now().plus(Jitter.bounded(timeout));
    }

    private Instant bounded(Instant end) {
        Instant close = scheduleToClose;
        return close != null && close.isBefore(end) ? close : end;
    }

    private void listenFor(Duration wait) {
        lock.lock();
        try {
            if (!over) {
                silence = deadlines.in(wait, this::listened);
            }
        } finally {
            lock.unlock();
        }
    }

    private void listened() {
        Duration timeout = heartbeatTimeout;
        if (timeout == null) {
            return;
        }
        Duration left = timeout.minusNanos(deadlines.clock().nanoTime() - lastSign);
        if (storeIsSlow.getAsBoolean()) {
            listenFor(timeout);
        } else if (left.isPositive()) {
            listenFor(left);
        } else {
            timedOut.accept(TimeoutType.HEARTBEAT);
        }
    }
}
