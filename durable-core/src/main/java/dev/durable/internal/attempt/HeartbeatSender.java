package dev.durable.internal.attempt;

import dev.durable.internal.drive.Deadlines;
import dev.durable.store.JobUpdate.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings the heartbeat details of one attempt to the store: the newest, one at a time, and not more often than the
 * throttle says; a checkpoint goes at once.
 *
 * <pre>
 *            told, window open               answered, nothing newer
 *   idle ───────────────────────► under way ─────────────────────────► idle
 *    │ told, window closed            ▲ │ answered, and something newer:
 *    └──► waits for the window ───────┘ └─ a checkpoint goes at once, the rest waits for the window
 * </pre>
 *
 * So a body may report its progress for every row of a large file; a crash loses at most the progress of one window.
 * Details are sent one at a time, so that a database that is slow or away gets fewer updates, not more.
 */
final class HeartbeatSender {
    private static final Duration LONGEST_THROTTLE = Duration.ofSeconds(30);

    private final Duration throttle;
    private final Deadlines deadlines;
    private final Sender sender;
    private final Consumer<Outcome> answered;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable String latest;
    private boolean unsent;
    private boolean underWay;
    private boolean stopped;
    private long windowEnds;
    private Deadlines.@Nullable Deadline windowEnd;
    private List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
    private List<CompletableFuture<Outcome>> waitingUnderWay = List.of();

    /** Sends details to the store and receives the outcome. */
    @FunctionalInterface
    interface Sender {
        void send(String details, Reports.Answer answer);
    }

    /**
     * @param throttle the time from one send to the next
     * @param deadlines the timers that end a window
     * @param sender gives details to the store
     * @param answered gets the store's answer to each
     */
    HeartbeatSender(Duration throttle, Deadlines deadlines, Sender sender, Consumer<Outcome> answered) {
        this.throttle = throttle;
        this.deadlines = deadlines;
        this.sender = sender;
        this.answered = answered;
        this.windowEnds = deadlines.clock().nanoTime();
    }

    /** Returns the time from one send to the next: min(0.8 × heartbeat timeout, 30 s). */
    static Duration throttle(@Nullable Duration heartbeatTimeout) {
        Duration most = heartbeatTimeout == null
                ? LONGEST_THROTTLE
                : heartbeatTimeout.multipliedBy(4).dividedBy(5);
        return most.compareTo(LONGEST_THROTTLE) < 0 ? most : LONGEST_THROTTLE;
    }

    /** Returns the newest details, durable or not. */
    @Nullable
    String latest() {
        lock.lock();
        try {
            return latest;
        } finally {
            lock.unlock();
        }
    }

    /** Accepts details, which are sent when the throttle allows. */
    void tell(String details) {
        lock.lock();
        try {
            latest = details;
            unsent = true;
            sendOrWait();
        } finally {
            lock.unlock();
        }
    }

    /** Sends details at once; the future completes when they, or newer ones, are durable, or never will be. */
    CompletableFuture<Outcome> checkpoint(String details) {
        CompletableFuture<Outcome> durable = new CompletableFuture<>();
        lock.lock();
        try {
            latest = details;
            unsent = true;
            waiting.add(durable);
            sendOrWait();
        } finally {
            lock.unlock();
        }
        return durable;
    }

    /** Returns whether a body waits for a checkpoint: then the store is slow, not the body. */
    boolean checkpointWaits() {
        lock.lock();
        try {
            return !waiting.isEmpty() || !waitingUnderWay.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the sender with its attempt: nothing is sent any more, and bodies that wait for a checkpoint learn that they
     * are stale.
     */
    void stop() {
        List<CompletableFuture<Outcome>> released = new ArrayList<>();
        lock.lock();
        try {
            stopped = true;
            deadlines.cancel(windowEnd);
            released.addAll(waitingUnderWay);
            released.addAll(waiting);
            waiting = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        released.forEach(waiter -> waiter.complete(Outcome.STALE));
    }

    private void sendOrWait() {
        if (stopped || underWay || !unsent) {
            return;
        }
        long left = windowEnds - deadlines.clock().nanoTime();
        if (waiting.isEmpty() && left > 0) {
            if (windowEnd == null) {
                windowEnd = deadlines.in(Duration.ofNanos(left), this::windowOpens);
            }
            return;
        }
        send();
    }

    private void windowOpens() {
        lock.lock();
        try {
            windowEnd = null;
            sendOrWait();
        } finally {
            lock.unlock();
        }
    }

    private void send() {
        String details = latest;
        if (details == null) {
            return;
        }
        unsent = false;
        underWay = true;
        windowEnds = deadlines.clock().nanoTime() + throttle.toNanos();
        waitingUnderWay = waiting;
        waiting = new ArrayList<>();
        sender.send(details, this::answered);
    }

    private void answered(@Nullable Outcome outcome, @Nullable Throwable error) {
        if (outcome != null) {
            answered.accept(outcome);
        }
        List<CompletableFuture<Outcome>> released;
        lock.lock();
        try {
            underWay = false;
            released = waitingUnderWay;
            waitingUnderWay = List.of();
            sendOrWait();
        } finally {
            lock.unlock();
        }
        released.forEach(waiter -> release(waiter, outcome, error));
    }

    private static void release(
            CompletableFuture<Outcome> waiter, @Nullable Outcome outcome, @Nullable Throwable error) {
        if (error != null) {
            waiter.completeExceptionally(error);
        } else {
            waiter.complete(outcome);
        }
    }
}
