package dev.durable.internal.commit;

import dev.durable.internal.drive.Step;
import dev.durable.internal.text.Portion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decides for the group-commit lanes of a process which of them commits next and how much must wait before one commits
 * beside another.
 *
 * <p>Entries that arrive while a lane commits are its next batch, so one lane alone makes batches as large as the load.
 * A second lane that took whatever waits would make all of them smaller, and a commit costs the server nearly as much
 * with few entries as with many; without a second lane, the server is idle while the first waits for the disk. So a
 * lane goes beside others only with a batch that is large enough to be cheap; or with whatever waits when {@linkplain
 * #PATIENCE a while} has passed. A lane that writes for longer than that may wait for a lock: until it is back the
 * others decide without it. Measured: docs/decisions/0041 and 0046.
 *
 * <p>No entry is overlooked: a thread that adds one looks for an idle lane afterwards, a lane looks at its line after
 * it has marked itself idle, and after its decision it looks for lanes for the entries that still wait, in all lines.
 * For entries that wait and may not be committed yet, either a lane watches, or all lanes of their line are writing and
 * look when they are done.
 */
final class CommitQueue {
    static final Duration PATIENCE = Duration.ofMillis(10);

    private final LongSupplier nanoTime;
    private final List<Line<?>> lines = new CopyOnWriteArrayList<>();
    private final ReentrantLock deciding = new ReentrantLock();

    /** @param nanoTime a monotonic clock */
    CommitQueue(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Creates a line whose lanes hold back for each other only.
     *
     * @param maxBatch the most entries of a batch
     * @param crowd the size of a batch from which a lane commits beside another
     */
    <E> Line<E> mainLine(int maxBatch, int crowd) {
        return add(new Line<>(maxBatch, crowd, 0));
    }

    /**
     * Creates a line whose lanes hold back for those of main lines, too.
     *
     * @param maxBatch the most entries of a batch
     * @param crowd the size of a batch from which a lane commits beside another of this line
     * @param share the divisor of the largest batch that main lines are writing; a batch of that size may be committed
     *     beside it
     */
    <E> Line<E> sideLine(int maxBatch, int crowd, int share) {
        return add(new Line<>(maxBatch, crowd, share));
    }

    private <E> Line<E> add(Line<E> line) {
        lines.add(line);
        return line;
    }

    private enum State {
        IDLE,
        /** The lane is idle and checks regularly that no entry waits for too long. */
        WATCHING,
        AT_WORK,
        /** The lane has been writing for so long that the other lanes ignore it. */
        MISSING;

        boolean isIdle() {
            return this == IDLE || this == WATCHING;
        }
    }

    /** A queue of entries that one or more lanes take from, in order. */
    final class Line<E> {
        private final int maxBatch;
        private final int crowd;
        /** The divisor of a side line; 0 for a main line, which does not wait for others. */
        private final int share;

        private final Waiting<E> waiting = new Waiting<>();
        private final List<Seat<E>> seats = new CopyOnWriteArrayList<>();
        /** The bytes of the entries that wait. */
        private final AtomicLong held = new AtomicLong();

        private @Nullable Function<E, Object> distinct;
        private ToLongFunction<E> weight = entry -> 0;
        private long batches;

        private Line(int maxBatch, int crowd, int share) {
            this.maxBatch = maxBatch;
            this.crowd = crowd;
            this.share = share;
        }

        /** Lets a batch contain at most one entry of each key; a second one waits for the next batch. */
        Line<E> withBatchesOfDistinct(Function<E, Object> key) {
            distinct = key;
            return this;
        }

        /** Bounds a batch to a {@linkplain Portion portion} of bytes by this measure, or to one entry. */
        Line<E> withWeights(ToLongFunction<E> bytes) {
            weight = bytes;
            return this;
        }

        /** Adds a lane that takes from this line. */
        Seat<E> seat() {
            Seat<E> seat = new Seat<>(this);
            seats.add(seat);
            return seat;
        }

        /** Adds an entry; from any thread. */
        void add(E entry) {
            held.addAndGet(weight.applyAsLong(entry));
            append(entry);
        }

        private Runnable append(E entry) {
            long ticket = waiting.add(entry);
            look();
            return () -> withdraw(ticket, entry);
        }

        /**
         * Adds the entry unless so many bytes wait already; where fewer do, an entry of any size is added.
         *
         * @return the action that withdraws the entry, unless a lane has taken it; null where it was not added
         */
        @Nullable
        Runnable addWithin(long bytes, E entry) {
            long more = weight.applyAsLong(entry);
            if (held.getAndAdd(more) >= bytes) {
                held.addAndGet(-more);
                return null;
            }
            return append(entry);
        }

        private void withdraw(long ticket, E entry) {
            if (waiting.remove(ticket)) {
                held.addAndGet(-weight.applyAsLong(entry));
            }
        }

        /** Returns how many entries wait to be taken. */
        int size() {
            return waiting.size();
        }

        /** Returns the bytes of the entries that wait to be taken. */
        long held() {
            return held.get();
        }

        /**
         * Wakes an idle lane to take the waiting entries or, where they must still wait, to watch the queue if no lane
         * does.
         */
        private void look() {
            Seat<E> idle = null;
            boolean watched = false;
            for (Seat<E> seat : seats) {
                State state = seat.state;
                watched |= state == State.WATCHING;
                idle = idle == null && state.isIdle() ? seat : idle;
            }
            if (idle != null && (!watched || mayGo())) {
                idle.wake.run();
            }
        }

        /** Returns whether enough entries wait to be committed beside the lanes that are writing. */
        private boolean mayGo() {
            int waits = waiting.size();
            if (largestAtWork() > 0 && waits < crowd) {
                return false;
            }
            if (share > 0) {
                for (Line<?> line : lines) {
                    if (line.share == 0 && waits < Math.ceilDiv(line.largestAtWork(), share)) {
                        return false;
                    }
                }
            }
            return true;
        }

        private int largestAtWork() {
            int largest = 0;
            for (Seat<E> seat : seats) {
                largest = seat.state == State.AT_WORK ? Math.max(largest, seat.batch) : largest;
            }
            return largest;
        }

        private List<E> batch() {
            List<E> batch = new ArrayList<>();
            Function<E, Object> key = distinct;
            Set<Object> members = new HashSet<>();
            long bytes = 0;
            Map.Entry<Long, E> next = waiting.poll();
            while (next != null && bytes < Portion.BYTES && (key == null || members.add(key.apply(next.getValue())))) {
                batch.add(next.getValue());
                bytes += weight.applyAsLong(next.getValue());
                next = batch.size() < maxBatch ? waiting.poll() : null;
            }
            if (next != null) {
                waiting.putBack(next);
            }
            held.addAndGet(-bytes);
            return batch;
        }
    }

    /**
     * The waiting entries, in order. One in the middle is found by its ticket, as thousands of callers may give up at
     * once.
     */
    private static final class Waiting<E> {
        private final ReentrantLock lock = new ReentrantLock();
        private final LinkedHashMap<Long, E> entries = new LinkedHashMap<>();
        private long tickets;

        long add(E entry) {
            lock.lock();
            try {
                entries.put(tickets, entry);
                return tickets++;
            } finally {
                lock.unlock();
            }
        }

        Map.@Nullable Entry<Long, E> poll() {
            lock.lock();
            try {
                return entries.pollFirstEntry();
            } finally {
                lock.unlock();
            }
        }

        void putBack(Map.Entry<Long, E> first) {
            lock.lock();
            try {
                entries.putFirst(first.getKey(), first.getValue());
            } finally {
                lock.unlock();
            }
        }

        /** Removes an entry; returns whether it was still there. */
        boolean remove(long ticket) {
            lock.lock();
            try {
                return entries.remove(ticket) != null;
            } finally {
                lock.unlock();
            }
        }

        int size() {
            lock.lock();
            try {
                return entries.size();
            } finally {
                lock.unlock();
            }
        }

        boolean isEmpty() {
            return size() == 0;
        }
    }

    /**
     * The state of a lane that the other lanes see. Called by its lane's thread only; its state changes under the lock.
     */
    final class Seat<E> {
        private final Line<E> line;
        private volatile Runnable wake = () -> {};
        private volatile State state = State.IDLE;
        /** The size of the batch that the lane writes; set before the state. */
        private volatile int batch;

        private long begun;
        private long seen;
        private long since;

        private Seat(Line<E> line) {
            this.line = line;
        }

        void onWork(Runnable wake) {
            this.wake = wake;
        }

        /** Returns the lane's next batch, when its last one is settled; empty where the lane should wait. */
        List<E> take() {
            List<E> taken = decide();
            // Batches for which other lines held back may have become smaller; entries left in this line need another
            // lane, or one that watches.
            for (Line<?> other : lines) {
                if (!other.waiting.isEmpty() && (other != line || !taken.isEmpty())) {
                    other.look();
                }
            }
            return taken;
        }

        private List<E> decide() {
            deciding.lock();
            try {
                boolean watched = state == State.WATCHING;
                state = State.IDLE;
                if (line.waiting.isEmpty() || !(line.mayGo() || overdue(watched))) {
                    return List.of();
                }
                List<E> taken = line.batch();
                line.batches++;
                begun = nanoTime.getAsLong();
                batch = taken.size();
                state = State.AT_WORK;
                return taken;
            } finally {
                deciding.unlock();
            }
        }

        /** Goes on watching, unless no lane has taken from this line for {@link #PATIENCE}; then returns true. */
        private boolean overdue(boolean watched) {
            if (!watched || seen != line.batches) {
                since = nanoTime.getAsLong();
                seen = line.batches;
            }
            if (left() > 0) {
                state = State.WATCHING;
                return false;
            }
            for (Line<?> other : lines) {
                other.seats.stream().filter(this::isLate).forEach(seat -> seat.state = State.MISSING);
            }
            return true;
        }

        /** Returns whether the other lane was already writing when this one began to watch. */
        private boolean isLate(Seat<?> other) {
            return other.state == State.AT_WORK && other.begun - since <= 0;
        }

        private long left() {
            return since + PATIENCE.toNanos() - nanoTime.getAsLong();
        }

        /** Returns how long a lane that got no batch may sleep. */
        Duration pause() {
            return state == State.WATCHING ? Duration.ofNanos(Math.max(1, left())) : Step.UNTIL_WOKEN;
        }
    }
}
