package dev.durable.store.postgres.internal.nudge;

import dev.durable.internal.observe.OutageLog;
import dev.durable.store.Nudges.Nudge;
import dev.durable.store.postgres.internal.sql.BackOff;
import dev.durable.store.postgres.internal.sql.StoreErrors;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends nudges with NOTIFY, at most about once in {@link #GAP_NANOS}, each nudge once. A NOTIFY takes a lock of the
 * whole database while it commits, which is why it is never part of a transaction that writes; but if nothing was sent
 * for {@link #GAP_NANOS}, the NOTIFY may be sent in the round trip of such a transaction, after its COMMIT. Errors are
 * logged, and nothing is sent for a while: nudges may be lost.
 */
final class NudgeSender {
    private static final Logger log = LoggerFactory.getLogger(NudgeSender.class);
    private static final String WHO = "the sender of nudges (other processes find work by polling)";
    static final int MAX_PENDING = 4_000;
    private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    private final String self;
    private final ListenerPresence presence;
    private final Wire wire;
    private final Executor thread;
    private final LongSupplier nanoTime;
    private final BackOff backOff = new BackOff();
    private final OutageLog outages;
    private final ReentrantLock lock = new ReentrantLock();
    private Set<Nudge> pending = new LinkedHashSet<>();
    private boolean owesPresence;
    private boolean running;
    private long quietUntil;
    private long takenAt;

    /** Sends payloads on the channel, in one statement. */
    @FunctionalInterface
    interface Wire {
        void send(List<String> payloads) throws SQLException;
    }

    /**
     *
     * @param self the sender's id
     * @param presence whether any other process listens
     * @param wire sends the payloads
     * @param thread runs {@link #runWhileBusy} when something is pending
     * @param nanoTime a monotonic clock
     */
    NudgeSender(String self, ListenerPresence presence, Wire wire, Executor thread, LongSupplier nanoTime) {
        this.self = self;
        this.presence = presence;
        this.wire = wire;
        this.thread = thread;
        this.nanoTime = nanoTime;
        this.outages = new OutageLog(log, nanoTime);
        this.quietUntil = nanoTime.getAsLong();
        this.takenAt = quietUntil - GAP_NANOS;
    }

    /** A thread that lives while there are nudges to send, and a little longer. */
    static Executor threadOnDemand() {
        return new ThreadPoolExecutor(
                0,
                1,
                5,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform()
                        .daemon()
                        .name("durable-notify")
                        .inheritInheritableThreadLocals(false)
                        .factory());
    }

    void add(Collection<? extends Nudge> nudges) {
        if (presence.isElsewhere()) {
            enqueue(nudges, false);
        }
    }

    /** Returns the payload of these nudges, if it may be sent at once: then the caller sends it. */
    Optional<String> takeAtOnce(Collection<? extends Nudge> nudges) {
        if (!presence.isElsewhere()) {
            return Optional.empty();
        }
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            if (running || now - takenAt < GAP_NANOS || now - quietUntil < 0) {
                return Optional.empty();
            }
            List<String> payloads = NudgeMessage.encode(self, nudges);
            if (payloads.size() > 1) {
                return Optional.empty();
            }
            takenAt = now;
            return Optional.of(payloads.getFirst());
        } finally {
            lock.unlock();
        }
    }

    /** Sends a message in any case, as the listener of this process hears it too. */
    void wakeOwnListener() {
        enqueue(List.of(), true);
    }

    private void enqueue(Collection<? extends Nudge> nudges, boolean announces) {
        lock.lock();
        try {
            if (pending.size() < MAX_PENDING) {
                pending.addAll(nudges);
            }
            owesPresence |= announces;
            if (!running) {
                running = true;
                thread.execute(this::runWhileBusy);
            }
        } finally {
            lock.unlock();
        }
    }

    private void runWhileBusy() {
        LockSupport.parkNanos(untilNext());
        while (runOnce()) {
            LockSupport.parkNanos(GAP_NANOS);
        }
    }

    private long untilNext() {
        lock.lock();
        try {
            return takenAt + GAP_NANOS - nanoTime.getAsLong();
        } finally {
            lock.unlock();
        }
    }

    /** Sends the pending nudges. Returns false if there were none: then the next nudge starts a thread again. */
    boolean runOnce() {
        Set<Nudge> taken;
        lock.lock();
        try {
            if (pending.isEmpty() && !owesPresence) {
                running = false;
                return false;
            }
            taken = pending;
            pending = new LinkedHashSet<>();
            owesPresence = false;
        } finally {
            lock.unlock();
        }
        send(taken);
        return true;
    }

    private void send(Set<Nudge> nudges) {
        if (isQuiet()) {
            return;
        }
        try {
            wire.send(NudgeMessage.encode(self, nudges));
            succeeded();
        } catch (SQLException | RuntimeException e) {
            failed(e);
        }
    }

    private boolean isQuiet() {
        lock.lock();
        try {
            return nanoTime.getAsLong() - quietUntil < 0;
        } finally {
            lock.unlock();
        }
    }

    void succeeded() {
        lock.lock();
        try {
            backOff.succeeded();
        } finally {
            lock.unlock();
        }
        outages.answered(WHO);
    }

    /** Takes note that a message could not be sent; several failures of messages sent at one time count as one. */
    void failed(Exception e) {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            if (now - quietUntil < 0) {
                return;
            }
            quietUntil = now + TimeUnit.MILLISECONDS.toNanos(backOff.failed());
        } finally {
            lock.unlock();
        }
        outages.failed(WHO, StoreErrors.lostHint(e));
    }
}
