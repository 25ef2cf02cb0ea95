package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.client.RunResult;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunIds;
import dev.durable.store.RunRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Clients of this process that wait for runs to close. A run that closes here tells them at once; for the others a
 * nudge asks at once, and one query per interval asks for all. The interval grows while nothing closes and starts over
 * with each new waiter; it starts longer while nudges are what tells of ends. A run that is older than that when somebody
 * begins to wait may have closed long ago and is asked for at once; a younger one hardly has. Who gives up (cancels the
 * future) is asked for no longer.
 */
final class ResultWaiters implements Step {
    private static final int IDS_PER_QUERY = 2_000;
    private static final Duration SHORTEST = Duration.ofMillis(4);
    private static final Duration SHORTEST_WITH_HINTS = Duration.ofMillis(32);
    private static final Duration LONGEST = Duration.ofMillis(250);

    private final HistoryStore store;
    private final ConcurrentHashMap<UUID, Wanted> waiting = new ConcurrentHashMap<>();
    /** Those of them that are said to have closed elsewhere, or may have before anybody waited. */
    private final Set<UUID> hinted = ConcurrentHashMap.newKeySet();

    /** Whether the last end elsewhere was hinted at, rather than found by asking. */
    private volatile boolean hintsArrive;

    private volatile Predicate<UUID> isHere = run -> false;
    private volatile Duration interval = SHORTEST;
    /** When those are asked for that go on elsewhere, and when all: on the monotonic clock. */
    private volatile long askAt;

    private long askAllAt;
    private boolean nobodyWaited = true;
    private volatile Runnable wake = () -> {};
    private volatile boolean closed;

    /** The end of a run, and how many wait for it. */
    private record Wanted(CompletableFuture<RunResult> end, int waiters) {}

    ResultWaiters(HistoryStore store) {
        this.store = store;
    }

    /** Which runs go on in this process: of those it hears at once, and need hardly ask. */
    void near(Predicate<UUID> runs) {
        isHere = runs;
    }

    void onWait(Runnable wake) {
        this.wake = wake;
    }

    /** The end of the run; shared by all who wait for it, so it must not be completed by them. */
    CompletableFuture<RunResult> result(UUID runId) {
        boolean first = waiting.isEmpty();
        CompletableFuture<RunResult> shared = waiting.compute(
                        runId,
                        (id, there) -> there == null
                                ? new Wanted(new CompletableFuture<>(), 1)
                                : new Wanted(there.end, there.waiters + 1))
                .end;
        CompletableFuture<RunResult> own = shared.copy();
        var unused = own.whenComplete((result, error) -> {
            if (own.isCancelled()) {
                gaveUp(runId, shared);
            }
        });
        if (closed) {
            close();
        }
        boolean far = !isHere.test(runId);
        if (far) {
            awaitFar(runId, first);
        }
        if (far || first) {
            wake.run();
        }
        return own;
    }

    private void awaitFar(UUID runId, boolean first) {
        Duration soon = shortest();
        Duration untilOfAge =
                soon.minus(Duration.between(RunIds.time(runId), store.clock().now()));
        long now = store.clock().nanoTime();
        long at = now + soon.toNanos();
        if (untilOfAge.isNegative() || untilOfAge.isZero()) {
            hinted.add(runId);
        } else {
            at = Math.min(at, now + untilOfAge.toNanos());
        }
        interval = soon;
        askAt = first || at - askAt < 0 ? at : askAt;
    }

    @SuppressWarnings("ReferenceEquality") // that very future
    private void gaveUp(UUID runId, CompletableFuture<RunResult> shared) {
        boolean done = false;
        while (!done) {
            Wanted wanted = waiting.get(runId);
            done = wanted == null
                    || wanted.end != shared
                    || (wanted.waiters == 1
                            ? waiting.remove(runId, wanted)
                            : waiting.replace(runId, wanted, new Wanted(shared, wanted.waiters - 1)));
        }
    }

    /** How many runs are waited for. */
    int size() {
        return waiting.size();
    }

    /** The run closed. */
    void closed(UUID runId, RunResult result) {
        Wanted wanted = waiting.remove(runId);
        if (wanted != null) {
            wanted.end.complete(result);
        }
    }

    /** The run may have closed: if somebody waits for it, look now. */
    void look(UUID runId) {
        if (waiting.containsKey(runId)) {
            hintsArrive = true;
            hinted.add(runId);
            wake.run();
        }
    }

    /** Runs may have closed without a word: look for all. */
    void look() {
        hinted.addAll(waiting.keySet());
        wake.run();
    }

    /** Nobody asks any more: who waits, or comes later, is told so. */
    void close() {
        closed = true;
        for (UUID run : waiting.keySet()) {
            Wanted wanted = waiting.remove(run);
            if (wanted != null) {
                wanted.end.completeExceptionally(Waits.nobodyWorks());
            }
        }
    }

    private Duration shortest() {
        return hintsArrive ? SHORTEST_WITH_HINTS : SHORTEST;
    }

    @Override
    public Duration runOnce() {
        if (waiting.isEmpty()) {
            nobodyWaited = true;
            return UNTIL_WOKEN;
        }
        if (nobodyWaited) {
            nobodyWaited = false;
            askAllAt = store.clock().nanoTime() + LONGEST.toNanos();
        }
        try {
            boolean unhinted = hinted.isEmpty();
            if (ask(wanted())) {
                hintsArrive &= !unhinted;
                interval = shortest();
            }
        } catch (StoreUnavailableException e) {
            interval = LONGEST;
        }
        long now = store.clock().nanoTime();
        return Duration.ofNanos(Math.max(1, Math.min(askAt - now, askAllAt - now)));
    }

    /** Now and then all; else those that are said to have closed; else those that go on elsewhere, if it is their time. */
    private Collection<UUID> wanted() {
        long now = store.clock().nanoTime();
        boolean all = now - askAllAt >= 0;
        if (!all && !hinted.isEmpty()) {
            return takeHinted();
        }
        boolean far = now - askAt >= 0;
        if (all) {
            askAllAt = now + LONGEST.toNanos();
        }
        if (far) {
            Duration longer = interval.multipliedBy(3).dividedBy(2);
            askAt = now + interval.toNanos();
            interval = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
        }
        return all
                ? waiting.keySet()
                : far ? waiting.keySet().stream().filter(isHere.negate()).toList() : List.of();
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
