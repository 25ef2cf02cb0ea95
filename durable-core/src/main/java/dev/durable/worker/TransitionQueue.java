package dev.durable.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Transitions that wait, and which lane takes them.
 *
 * <p>What arrives while a lane commits is its next batch, so one lane alone makes batches as large as the load. A second
 * one that took whatever waits would halve them, and a transition in half a batch costs the server a third more; without
 * a second, nobody uses the server while the first waits for the disk. So the second takes what makes a batch of its own,
 * a {@linkplain #CROWD crowd}; and whatever waits when no lane has come back for {@linkplain #PATIENCE a while}, since it
 * may wait for somebody's lock. Until that one is back the others do not count on it.
 *
 * <p>Nobody is overlooked: who adds looks for a lane after adding, and a lane looks at the queue after it has said that
 * it is idle.
 */
final class TransitionQueue {
    /** Measured: docs/decisions/0041. */
    static final int CROWD = 64;

    static final Duration PATIENCE = Duration.ofMillis(10);

    private final int maxBatch;
    private final LongSupplier nanoTime;
    private final LinkedBlockingDeque<TransitionLane.Entry> waiting = new LinkedBlockingDeque<>();
    private final List<Seat> seats = new CopyOnWriteArrayList<>();
    private final ReentrantLock deciding = new ReentrantLock();
    private long batches;

    /**
     * @param maxBatch how many a lane takes at once
     * @param nanoTime a monotonic clock
     */
    TransitionQueue(int maxBatch, LongSupplier nanoTime) {
        this.maxBatch = maxBatch;
        this.nanoTime = nanoTime;
    }

    /** For a lane that takes from here. */
    Seat seat() {
        Seat seat = new Seat();
        seats.add(seat);
        return seat;
    }

    /** Any thread. */
    void add(TransitionLane.Entry entry) {
        waiting.add(entry);
        Seat idle = null;
        boolean atWork = false;
        boolean watched = false;
        for (Seat seat : seats) {
            State state = seat.state;
            atWork |= state == State.AT_WORK;
            watched |= state == State.WATCHING;
            idle = idle == null && state.isIdle() ? seat : idle;
        }
        if (idle != null && (!atWork || !watched || waiting.size() >= CROWD)) {
            idle.wake.run();
        }
    }

    private enum State {
        IDLE,
        /** Idle, and sees to it that what waits does not wait for long. */
        WATCHING,
        AT_WORK,
        /** At work for so long that the others go on as if it were not there. */
        MISSING;

        boolean isIdle() {
            return this == IDLE || this == WATCHING;
        }
    }

    /** A lane, as the queue sees it. Called by its lane's thread only; its state changes under the lock. */
    final class Seat {
        private volatile Runnable wake = () -> {};
        private volatile State state = State.IDLE;
        private long seen;
        private long since;

        void onWork(Runnable wake) {
            this.wake = wake;
        }

        /** What the lane writes next: it has settled what it took before. Empty where it had better wait. */
        List<TransitionLane.Entry> take() {
            deciding.lock();
            try {
                boolean watched = state == State.WATCHING;
                state = State.IDLE;
                if (waiting.isEmpty()) {
                    return List.of();
                }
                if (othersAtWork() && waiting.size() < CROWD && !overdue(watched)) {
                    return List.of();
                }
                state = State.AT_WORK;
                batches++;
                return batch();
            } finally {
                deciding.unlock();
            }
        }

        private boolean othersAtWork() {
            return seats.stream().anyMatch(seat -> seat.state == State.AT_WORK);
        }

        /** Watches on, unless nobody has come back for as long as this watches. */
        private boolean overdue(boolean watched) {
            if (!watched || seen != batches) {
                since = nanoTime.getAsLong();
                seen = batches;
            }
            if (left() > 0) {
                state = State.WATCHING;
                return false;
            }
            seats.stream().filter(seat -> seat.state == State.AT_WORK).forEach(seat -> seat.state = State.MISSING);
            return true;
        }

        private long left() {
            return since + PATIENCE.toNanos() - nanoTime.getAsLong();
        }

        /** How long a lane that got nothing may sleep. */
        Duration pause() {
            return state == State.WATCHING ? Duration.ofNanos(Math.max(1, left())) : Step.UNTIL_WOKEN;
        }

        /** Bounded; of a run that two have written for at once, the later one waits for the next batch. */
        private List<TransitionLane.Entry> batch() {
            List<TransitionLane.Entry> batch = new ArrayList<>();
            Set<UUID> runs = new HashSet<>();
            TransitionLane.Entry next = waiting.poll();
            while (next != null && runs.add(next.runId())) {
                batch.add(next);
                next = batch.size() < maxBatch ? waiting.poll() : null;
            }
            if (next != null) {
                waiting.addFirst(next);
            }
            return batch;
        }
    }
}
