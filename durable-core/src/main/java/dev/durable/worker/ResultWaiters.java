package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.client.RunResult;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Clients of this process that wait for runs to close. A run that closes here tells them at once; for the others one
 * query per interval asks for all. The interval grows while nothing closes and starts over with each new waiter.
 */
final class ResultWaiters implements Step {
    private static final int IDS_PER_QUERY = 2_000;
    private static final Duration SHORTEST = Duration.ofMillis(4);
    private static final Duration LONGEST = Duration.ofMillis(250);

    private final HistoryStore store;
    private final ConcurrentHashMap<UUID, CompletableFuture<RunResult>> waiting = new ConcurrentHashMap<>();
    private volatile Duration interval = SHORTEST;
    private volatile Runnable wake = () -> {};

    ResultWaiters(HistoryStore store) {
        this.store = store;
    }

    void onWait(Runnable wake) {
        this.wake = wake;
    }

    /** The end of the run; shared by all who wait for it, so it must not be completed by them. */
    CompletableFuture<RunResult> result(UUID runId) {
        CompletableFuture<RunResult> shared = waiting.computeIfAbsent(runId, id -> new CompletableFuture<>());
        interval = SHORTEST;
        wake.run();
        return shared.copy();
    }

    /** The run closed. */
    void closed(UUID runId, RunResult result) {
        CompletableFuture<RunResult> future = waiting.remove(runId);
        if (future != null) {
            future.complete(result);
        }
    }

    /** The run may have closed: look now. */
    void look() {
        interval = SHORTEST;
        wake.run();
    }

    @Override
    public Duration runOnce() {
        if (waiting.isEmpty()) {
            return UNTIL_WOKEN;
        }
        Duration next = interval;
        try {
            if (ask()) {
                next = SHORTEST;
            }
        } catch (StoreUnavailableException e) {
            next = LONGEST;
        }
        Duration longer = next.multipliedBy(3).dividedBy(2);
        interval = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
        return next;
    }

    private boolean ask() {
        boolean found = false;
        List<UUID> ids = new ArrayList<>(waiting.keySet());
        for (int from = 0; from < ids.size(); from += IDS_PER_QUERY) {
            List<UUID> part = ids.subList(from, Math.min(ids.size(), from + IDS_PER_QUERY));
            for (RunRecord run : store.closed(part)) {
                closed(run.run().runId(), RunResult.of(run));
                found = true;
            }
        }
        return found;
    }
}
