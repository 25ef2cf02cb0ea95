package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.client.RunResult;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Clients of this process that wait for runs to close. A run that closes here tells them at once; for the others a
 * nudge asks at once, and one query per interval asks for all. The interval grows while nothing closes and starts over with each new waiter.
 */
final class ResultWaiters implements Step {
    private static final int IDS_PER_QUERY = 2_000;
    private static final Duration SHORTEST = Duration.ofMillis(4);
    private static final Duration LONGEST = Duration.ofMillis(250);

    private final HistoryStore store;
    private final ConcurrentHashMap<UUID, CompletableFuture<RunResult>> waiting = new ConcurrentHashMap<>();
    /** Those of them that are said to have closed elsewhere. */
    private final Set<UUID> hinted = ConcurrentHashMap.newKeySet();

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

    /** The run may have closed: if somebody waits for it, look now. */
    void look(UUID runId) {
        if (waiting.containsKey(runId)) {
            hinted.add(runId);
            wake.run();
        }
    }

    @Override
    public Duration runOnce() {
        if (waiting.isEmpty()) {
            return UNTIL_WOKEN;
        }
        Duration next = interval;
        try {
            if (ask(hinted.isEmpty() ? waiting.keySet() : takeHinted())) {
                next = SHORTEST;
            }
        } catch (StoreUnavailableException e) {
            next = LONGEST;
        }
        Duration longer = next.multipliedBy(3).dividedBy(2);
        interval = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
        return next;
    }

    private List<UUID> takeHinted() {
        List<UUID> taken = List.copyOf(hinted);
        taken.forEach(hinted::remove);
        return taken.stream().filter(waiting::containsKey).toList();
    }

    private boolean ask(Collection<UUID> wanted) {
        boolean found = false;
        List<UUID> ids = new ArrayList<>(wanted);
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
