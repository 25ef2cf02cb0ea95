package dev.durable.internal.upkeep;

import dev.durable.StoreUnavailableException;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.ChoreTally;
import dev.durable.internal.drive.Jitter;
import dev.durable.internal.text.Bounds;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.SessionInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chore that finds dead worker sessions and puts their jobs back into their queues. Every process sweeps; there is no
 * leader.
 *
 * <p>A session is dead when this process saw one beat unchanged for a whole lease, on its own monotonic clock, in reads
 * that followed each other without a gap. The lease is that of the session: processes may have different ones, and this
 * chore reads as often as the shortest requires. The clocks of the database and of other machines have no part in it,
 * so a step of theirs ends no session; and where a read failed, or came later than two thirds of the session's lease
 * after the one before (the database away, this process suspended), a beat may have passed unseen: the observation
 * starts anew.
 *
 * <p>Jobs of sessions that are dead or missing are re-queued in each sweep, whichever process declared the death and
 * whichever rows were locked the last time. A short lease of another process makes the reads more frequent, not the
 * sweeps.
 */
public final class Sweeper implements Chore {
    private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
    private static final double SPREAD = 0.2;
    private static final int BATCH = 500;

    /**
     * The longest pause between two reads, so that a process with a long lease soon notices a new session with a short
     * one.
     */
    private static final Duration RAREST = Duration.ofSeconds(10);

    private final HistoryStore store;
    private final Duration lease;
    private final RandomGenerator random;
    private final Runnable onDeath;
    private final ChoreTally tally = new ChoreTally();
    private Map<UUID, Seen> seen = new HashMap<>();
    private Duration shortest;
    private long lastLook;
    private long swept;
    private boolean sweepNow = true;
    /** True after a failed read, when it is not known which sessions have ended since the one before. */
    private boolean unsure;

    /**
     * @param since the time at which this process had read the beat for the first time
     * @param lease the lease of the session
     * @param identity the name of its process, for the log
     */
    private record Seen(long beat, long since, Duration lease, String identity) {}

    /**
     * @param onDeath called when a session has died or was closed: the runs that it owned can be claimed by any worker
     */
    public Sweeper(HistoryStore store, Duration lease, RandomGenerator random, Runnable onDeath) {
        this.onDeath = onDeath;
        this.store = store;
        this.lease = WorkerSession.bounded(lease);
        this.shortest = this.lease;
        this.random = random;
    }

    @Override
    public Duration interval() {
        return third(lease);
    }

    @Override
    public ChoreTally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        try {
            look();
            if (!sweepNow && lastLook - swept < third(lease).dividedBy(2).toNanos()) {
                return nextLook();
            }
            int requeued = store.requeueOrphans(BATCH);
            swept = lastLook;
            sweepNow = requeued == BATCH;
            tally.did(requeued);
            if (requeued > 0) {
                log.warn("{} jobs of dead sessions were put back into their queues", requeued);
            }
            return sweepNow ? AGAIN : nextLook();
        } catch (StoreUnavailableException | CommitUnknownException e) {
            seen.clear();
            unsure = true;
            throw e;
        }
    }

    private void look() {
        long begun = store.clock().nanoTime();
        List<SessionInfo> sessions = store.sessions();
        // The read may take long: an unchanged beat stood still from the end of the first read at the latest until the
        // start of this one at the least.
        long read = store.clock().nanoTime();
        long gap = read - lastLook;
        Map<UUID, Seen> before = seen;
        lastLook = begun;
        seen = sessions.stream()
                .filter(session -> !session.dead())
                .collect(Collectors.toMap(
                        SessionInfo::session, session -> observed(session, before.get(session.session()), gap, read)));
        shortest = seen.values().stream().map(Seen::lease).reduce(lease, (a, b) -> a.compareTo(b) < 0 ? a : b);
        if (unsure || !seen.keySet().containsAll(before.keySet())) {
            unsure = false;
            onDeath.run();
        }
        for (Map.Entry<UUID, Seen> session : seen.entrySet()) {
            Seen last = session.getValue();
            if (begun - last.since() >= last.lease().toNanos() && store.markDead(session.getKey(), last.beat())) {
                log.warn(
                        "session {} of {} is dead: its beat stood still for {}",
                        session.getKey(),
                        Bounds.shown(last.identity()),
                        last.lease());
                sweepNow = true;
                onDeath.run();
            }
        }
    }

    private static Seen observed(SessionInfo session, @Nullable Seen last, long gap, long read) {
        Duration lease = WorkerSession.bounded(session.lease());
        if (last != null && last.beat() == session.beat() && gap <= lease.toNanos() * 2 / 3) {
            return last;
        }
        return new Seen(session.beat(), read, lease, session.identity());
    }

    /**
     * Returns the usual pause, or a shorter one until the lease of an unchanged beat is over, so that a death is
     * noticed as soon as it is certain.
     */
    private Duration nextLook() {
        Duration pause = pause();
        long overdue = seen.values().stream()
                .mapToLong(last -> last.since() + last.lease().toNanos() - lastLook)
                .filter(left -> left > 0)
                .min()
                .orElse(Long.MAX_VALUE);
        return overdue < pause.toNanos() ? Duration.ofNanos(overdue).plusMillis(1) : pause;
    }

    private Duration pause() {
        return Jitter.spread(third(shortest), SPREAD, random);
    }

    private static Duration third(Duration lease) {
        Duration third = lease.dividedBy(3);
        return third.compareTo(RAREST) < 0 ? third : RAREST;
    }
}
