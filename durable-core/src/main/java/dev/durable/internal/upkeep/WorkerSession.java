package dev.durable.internal.upkeep;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.ChoreTally;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.Served;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heartbeat of this process in the table {@code session}: it beats as long as the loops of the process make
 * progress, and opens a new session when another process has declared this one dead. A process never decides that about
 * its own session; others do when they saw an unchanged beat for a whole lease. A dead session stays dead: its attempts
 * are stale, and the process goes on under a new one. While the database does not answer, no session is declared dead.
 *
 * <pre>
 *   open ──► beat, a third of a lease apart ──► refused: declared dead ──► its attempts are stale ──► open another
 *              └── loops stand still: no beat, so that others may take over what this process can't finish
 * </pre>
 */
public final class WorkerSession implements Chore {
    private static final Logger log = LoggerFactory.getLogger(WorkerSession.class);

    /** The shortest lease that is allowed; a shorter one could end while a statement waits. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    /** The longest lease that is allowed. */
    public static final Duration LONGEST_LEASE = Duration.ofDays(1);

    /** How long a close waits for the store: a pool or a dead connection may keep it for minutes. */
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final HistoryStore store;
    private final Own own;
    private final BooleanSupplier progress;
    private final Consumer<UUID> lost;
    private Runnable reopened = () -> {};
    private final ChoreTally tally = new ChoreTally();
    private volatile UUID id;
    private boolean alive;
    /** A beat that the database answers after the close must not open another session. */
    private volatile boolean closed;

    /**
     * The session's part of the configuration.
     *
     * @param identity the name of the process, for operators
     * @param lease how long its beat may stand still before it counts as dead
     * @param ids makes random ids
     * @param served the queues and names of which this process takes work
     */
    public record Own(
            String identity,
            Duration lease,
            Supplier<UUID> ids,
            @Nullable Served served) {

        public Own(String identity, Duration lease, Supplier<UUID> ids) {
            this(identity, lease, ids, null);
        }
    }

    /**
     * @param progress returns whether the loops of this process make progress
     * @param lost called for each session that was declared dead
     */
    public WorkerSession(HistoryStore store, Own own, BooleanSupplier progress, Consumer<UUID> lost) {
        this.store = store;
        this.own = own;
        this.progress = progress;
        this.lost = lost;
        this.id = own.ids().get();
    }

    /**
     * Sets the listener that is called when another session is open in place of one that was declared dead: claims
     * under the dead one got nothing, so due work has to be claimed again. Called before anything runs.
     */
    public void onReopened(Runnable listener) {
        reopened = listener;
    }

    /** Returns the lease, or the nearest one that is allowed, as a row may hold any value. */
    public static Duration bounded(Duration lease) {
        return lease.compareTo(SHORTEST_LEASE) < 0
                ? SHORTEST_LEASE
                : lease.compareTo(LONGEST_LEASE) > 0 ? LONGEST_LEASE : lease;
    }

    /** Returns the session under which to claim. Until another is open it is the dead one, which gets nothing. */
    public UUID id() {
        return id;
    }

    /** Opens the session; nothing may be claimed before. */
    public void open() {
        // A new id for each try: a session whose answer was lost stays without a beat and is declared dead.
        UUID next = own.ids().get();
        store.openSession(next, own.identity(), own.lease(), own.served());
        id = next;
        alive = true;
    }

    @Override
    public Duration interval() {
        return third();
    }

    @Override
    public ChoreTally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        if (alive && !progress.getAsBoolean()) {
            log.warn("{} does not beat: its loops make no progress", own.identity());
            return third();
        }
        if (alive && !store.beat(id)) {
            log.warn("session {} of {} was declared dead; what ran under it is stale", id, own.identity());
            alive = false;
            if (!closed) {
                lost.accept(id);
            }
        }
        if (!alive && !closed) {
            open();
            reopened.run();
        }
        tally.did(1);
        return third();
    }

    /**
     * Returns the longest pause during an outage, at most a third of the lease: when the database answers again, other
     * processes wait at most a lease for the beat to go on.
     */
    @Override
    public Duration patience() {
        Duration longest = Chore.super.patience();
        return third().compareTo(longest) < 0 ? third() : longest;
    }

    /**
     * Closes the session: its jobs are released at once. If the database does not answer, the session is declared dead
     * after its lease.
     */
    public void close() {
        closed = true;
        UUID session = id;
        FutureTask<@Nullable Void> closing = new FutureTask<>(() -> store.closeSession(session), null);
        Thread.ofPlatform().daemon().name("durable-session-close").start(closing);
        try {
            closing.get(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            warnUnclosed(session, "the store has not answered for " + CLOSING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            warnUnclosed(session, "the thread that closes it was interrupted");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case StoreUnavailableException away -> warnUnclosed(session, String.valueOf(away.getMessage()));
                case CommitUnknownException lost -> warnUnclosed(session, String.valueOf(lost.getMessage()));
                case RuntimeException refused -> throw refused;
                case null, default -> throw new IllegalStateException("session " + session + " could not be closed", e);
            }
        }
    }

    private static void warnUnclosed(UUID session, String why) {
        log.warn("session {} could not be closed and will be declared dead: {}", session, why);
    }

    private Duration third() {
        return own.lease().dividedBy(3);
    }
}
