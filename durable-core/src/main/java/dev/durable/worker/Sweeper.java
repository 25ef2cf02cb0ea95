package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.SessionInfo;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds dead worker processes, and gives their jobs to others. Every process sweeps; there is no leader.
 *
 * <p>A session is dead when this process saw the same beat for a whole lease, on its own monotonic clock, in looks that
 * followed each other without a gap. The lease is the session's own: processes may have different ones, and whoever looks
 * does so as often as the shortest asks for. No clock of the database or of another machine has a say, so a step of theirs
 * kills nobody; and where a look failed or came late (the database away, this process suspended), nobody could beat that
 * could have been seen: all observations start anew.
 *
 * <p>Jobs of sessions that are dead or not there at all are re-queued in each sweep, whoever declared the death and
 * whatever was locked the last time.
 */
final class Sweeper implements Chore {
    private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
    private static final double SPREAD = 0.2;
    private static final int BATCH = 500;

    private final HistoryStore store;
    private final Duration lease;
    private final RandomGenerator random;
    private final Tally tally = new Tally();
    private Map<UUID, Seen> seen = new HashMap<>();
    private long lastLook;

    private record Seen(long beat, long since, Duration lease) {}

    Sweeper(HistoryStore store, Duration lease, RandomGenerator random) {
        this.store = store;
        this.lease = lease;
        this.random = random;
    }

    @Override
    public String name() {
        return "sweep";
    }

    @Override
    public Duration interval() {
        return lease.dividedBy(3);
    }

    @Override
    public Tally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        try {
            look();
            int requeued = store.requeueOrphans(BATCH);
            tally.did(requeued);
            if (requeued > 0) {
                log.warn("{} jobs of dead sessions were queued again", requeued);
            }
            return requeued == BATCH ? AGAIN : nextLook();
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("the sweep waits for the database: {}", e.getMessage());
            seen.clear();
            return third();
        }
    }

    private void look() {
        long now = store.clock().nanoTime();
        long gap = now - lastLook;
        Map<UUID, Seen> before = seen;
        lastLook = now;
        seen = store.sessions().stream()
                .filter(session -> !session.dead())
                .collect(Collectors.toMap(
                        SessionInfo::session, session -> observed(session, before.get(session.session()), gap, now)));
        for (Map.Entry<UUID, Seen> session : seen.entrySet()) {
            Seen last = session.getValue();
            if (now - last.since() >= last.lease().toNanos() && store.markDead(session.getKey(), last.beat())) {
                log.warn("session {} is dead: its beat stood still for {}", session.getKey(), last.lease());
            }
        }
    }

    private static Seen observed(SessionInfo session, @Nullable Seen last, long gap, long now) {
        if (last != null
                && last.beat() == session.beat()
                && gap <= session.lease().toNanos() * 2 / 3) {
            return last;
        }
        return new Seen(session.beat(), now, session.lease());
    }

    /** A third of a lease, or when the lease of who stands still is over: so that a death is noticed when it is certain. */
    private Duration nextLook() {
        Duration third = third();
        long overdue = seen.values().stream()
                .mapToLong(last -> last.since() + last.lease().toNanos() - lastLook)
                .filter(left -> left > 0)
                .min()
                .orElse(Long.MAX_VALUE);
        return overdue < third.toNanos() ? Duration.ofNanos(overdue).plusMillis(1) : third;
    }

    private Duration third() {
        Duration shortest = seen.values().stream()
                .map(Seen::lease)
                .filter(theirs -> theirs.compareTo(lease) < 0)
                .min(Duration::compareTo)
                .orElse(lease);
        return Jitter.spread(shortest.dividedBy(3), SPREAD, random);
    }
}
