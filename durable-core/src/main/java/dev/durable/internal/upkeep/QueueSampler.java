package dev.durable.internal.upkeep;

import dev.durable.client.ActivityState;
import dev.durable.client.QueueDescription;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.ChoreTally;
import dev.durable.internal.drive.Jitter;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.QueueSample;
import dev.durable.store.HistoryStore;
import dev.durable.store.JobFilter;
import dev.durable.store.RunFilter;
import dev.durable.store.RunIds;
import dev.durable.store.SessionInfo;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A chore that counts the waiting jobs of all queues and reports them to the observer, in one process for all: the one
 * whose session is the oldest that is alive. The others read only the list of sessions. There is no lock and no leader:
 * where two processes consider their sessions the oldest for a moment, both count; where the oldest dies, the next one
 * counts when that session has been declared dead.
 */
public final class QueueSampler implements Chore {
    static final Duration INTERVAL = Duration.ofSeconds(15);

    private static final double SPREAD = 0.1;
    private static final Comparator<SessionInfo> BY_AGE =
            Comparator.comparing(SessionInfo::startedAt).thenComparing(SessionInfo::session, RunIds.ORDER);

    private final HistoryStore store;
    private final Supplier<UUID> session;
    private final EngineObserver observer;
    private final LongSupplier refusedMessages;
    private final RandomGenerator random;
    private final ChoreTally tally = new ChoreTally();
    private volatile boolean samples;

    /**
     * @param session the session of this process
     * @param refusedMessages the number of rows in {@code outbox_refused} that the relay has read last
     */
    public QueueSampler(
            HistoryStore store,
            Supplier<UUID> session,
            EngineObserver observer,
            LongSupplier refusedMessages,
            RandomGenerator random) {
        this.store = store;
        this.session = session;
        this.observer = observer;
        this.refusedMessages = refusedMessages;
        this.random = random;
    }

    @Override
    public Duration interval() {
        return INTERVAL;
    }

    @Override
    public ChoreTally tally() {
        return tally;
    }

    /** Returns whether this process sampled the queues at the last run. */
    public boolean samples() {
        return samples;
    }

    @Override
    public Duration runOnce() {
        boolean mine = store.sessions().stream()
                .filter(other -> !other.dead())
                .min(BY_AGE)
                .filter(oldest -> oldest.session().equals(session.get()))
                .isPresent();
        if (mine) {
            samples = true;
            observer.queuesSampled(sample());
        } else if (samples) {
            samples = false;
            observer.queuesLeftToOthers();
        }
        tally.did(0);
        return Jitter.spread(INTERVAL, SPREAD, random);
    }

    private QueueSample sample() {
        List<QueueDescription> queues = store.queues();
        return new QueueSample(
                store.clock().now(),
                queues,
                // Where no queue has dead letters there is nothing to count.
                count(queues, ActivityState.DEAD),
                count(queues, ActivityState.INCIDENT),
                store.views().count(RunFilter.ALL.stalled(true), QueueSample.MOST),
                store.outboxSince().orElse(null),
                refusedMessages.getAsLong());
    }

    private long count(List<QueueDescription> queues, ActivityState state) {
        boolean any = queues.stream().anyMatch(queue -> queue.dead() > 0);
        return any ? store.views().count(JobFilter.ALL.states(Set.of(state)), QueueSample.MOST) : 0;
    }
}
