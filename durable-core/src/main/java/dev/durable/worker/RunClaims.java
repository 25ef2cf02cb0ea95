package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.store.ClaimedRun;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.InboxMessage;
import dev.durable.store.RunClaim;
import dev.durable.store.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims due runs and hands them to their actors. A claim whose reply is lost, or whose process dies, needs no care: it
 * runs out.
 */
final class RunClaims implements Step {
    private static final Logger log = LoggerFactory.getLogger(RunClaims.class);
    private static final int BATCH = 200;
    private static final int MAX_MESSAGES = 1_000;
    private static final Duration DATABASE_AWAY = Duration.ofMillis(500);
    /** How long one activation may take before others may claim the run. */
    static final Duration OWNED_FOR = Duration.ofSeconds(15);

    private final HistoryStore store;
    private final Wanted wanted;
    private final Supplier<UUID> session;
    private final Takers takers;
    private final Duration pollInterval;

    /**
     * What this worker can run.
     *
     * @param taskQueues queues it serves
     * @param types workflow types it has
     */
    record Wanted(Set<String> taskQueues, Set<String> types) {}

    /** The runs of this process. */
    interface Takers {
        /** Whether it has an instance of this run. */
        boolean isCached(UUID runId);

        /** A run was claimed for it. */
        void claimed(Mail.Claimed claim);
    }

    RunClaims(HistoryStore store, Wanted wanted, Supplier<UUID> session, Takers takers, Duration pollInterval) {
        this.store = store;
        this.wanted = wanted;
        this.session = session;
        this.takers = takers;
        this.pollInterval = pollInterval;
    }

    @Override
    public Duration runOnce() {
        Instant before = store.clock().now();
        try {
            List<ClaimedRun> runs = store.claimRuns(
                    new RunClaim(session.get(), wanted.taskQueues(), wanted.types(), 0, BATCH, OWNED_FOR));
            if (!runs.isEmpty()) {
                Map<UUID, List<InboxMessage>> messages = messages(runs);
                for (ClaimedRun run : runs) {
                    UUID runId = run.run().runId();
                    takers.claimed(new Mail.Claimed(
                            run,
                            messages == null ? null : messages.getOrDefault(runId, List.of()),
                            takers.isCached(runId) ? null : history(runId)));
                }
            }
            return runs.size() == BATCH ? AGAIN : untilNextDue(before);
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("claiming runs waits for the database: {}", e.getMessage());
            return DATABASE_AWAY;
        }
    }

    /** Read here, where waiting for the database holds up nothing but claims, and not where workflow code runs. */
    private @Nullable List<StoredEvent> history(UUID runId) {
        try {
            return store.history(runId, 1, Rebuild.PAGE);
        } catch (StoreUnavailableException e) {
            return null;
        }
    }

    private @Nullable Map<UUID, List<InboxMessage>> messages(List<ClaimedRun> runs) {
        try {
            return store.messages(runs.stream().map(ClaimedRun::run).toList(), MAX_MESSAGES);
        } catch (StoreUnavailableException e) {
            return null;
        }
    }

    /**
     * At most the poll interval. What was due before the claim and was not claimed belongs to others and gives no reason to
     * hurry; what has become due since does.
     */
    private Duration untilNextDue(Instant claimed) {
        Instant now = store.clock().now();
        return store.nextDue(wanted.taskQueues(), claimed)
                .map(due -> due.isAfter(now) ? Duration.between(now, due).plusMillis(1) : AGAIN)
                .filter(wait -> wait.compareTo(pollInterval) < 0)
                .orElse(pollInterval);
    }
}
