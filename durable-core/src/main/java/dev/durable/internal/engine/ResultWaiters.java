package dev.durable.internal.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.durable.StoreUnavailableException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.internal.drive.BlockedCallers;
import dev.durable.internal.drive.Step;
import dev.durable.internal.run.Runs;
import dev.durable.internal.text.Portion;
import dev.durable.store.ClosedRun;
import dev.durable.store.HistoryStore;
import dev.durable.store.Reply;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Completes the futures of clients in this process that wait for runs to close. The end of a run in this process
 * completes them at once; for the other runs a nudge leads to a query at once, and one query per interval reads all of
 * them. The interval grows while no run closes and starts over with each new waiter; it starts longer while nudges
 * announce the ends. A run that is older than the interval when a client begins to wait may have closed long ago and is
 * read at once; a younger one has hardly closed yet. Runs whose waiters have all given up (cancelled their futures) are
 * no longer read.
 *
 * <p>Every run that is waited for was there before. A run that is missing in two reads seconds apart never ends: the
 * database was set back to an earlier time, or retention has removed it.
 */
final class ResultWaiters implements Step, Runs.Waiters {
    private static final int IDS_PER_QUERY = 2_000;
    private static final Duration SHORTEST = Duration.ofMillis(4);
    private static final Duration SHORTEST_WITH_HINTS = Duration.ofMillis(32);
    private static final Duration LONGEST = Duration.ofMillis(250);
    private static final Duration MISSING = Duration.ofSeconds(5);

    private final HistoryStore store;
    private final BooleanSupplier nudged;
    private final ConcurrentHashMap<UUID, Wanted> waiting = new ConcurrentHashMap<>();
    /** The waited-for runs that have closed elsewhere, according to a nudge. */
    private final Set<UUID> hinted = ConcurrentHashMap.newKeySet();
    /** The waited-for runs that may have closed before the wait began. */
    private final Set<UUID> old = ConcurrentHashMap.newKeySet();
    /** The last runs that have closed here, or elsewhere according to a nudge, while no client waited for them. */
    private final Cache<UUID, Boolean> endedBefore =
            Caffeine.newBuilder().maximumSize(1_000).executor(Runnable::run).build();

    /** True where a nudge, rather than a poll, brought the last end of a run elsewhere. */
    private volatile boolean hintsArrive;

    /** The waits for other conditions than the end of a run. */
    private final Set<Condition> conditions = ConcurrentHashMap.newKeySet();

    private volatile Predicate<UUID> isHere = run -> false;
    private final UpdateWaiters updates;
    private final StreamWaiters streams;
    private volatile Duration interval = SHORTEST;
    /** The time of the next read of runs that go on elsewhere, and below that of all runs; on the monotonic clock. */
    private volatile long askAt;

    private long askAllAt;
    private long askMissingAt;
    /** The runs that were missing at the last read. */
    private Set<UUID> missing = Set.of();

    /** True while the loop has found no waiter, and sleeps. */
    private volatile boolean foundNoWaiter = true;

    private volatile Runnable wake = () -> {};
    private volatile boolean closed;

    /** The end of a run, and the number of its waiters. */
    private record Wanted(CompletableFuture<RunResult> end, int waiters) {}

    /** @param nudged whether nudges about runs that close in other processes arrive here, as far as is known */
    ResultWaiters(HistoryStore store, BooleanSupplier nudged) {
        this.store = store;
        this.nudged = nudged;
        this.updates = new UpdateWaiters(store, nudged, run -> isHere.test(run));
        this.streams = new StreamWaiters(store, nudged);
    }

    /** Sets which runs go on in this process: their ends come at once and are hardly polled for. */
    void near(Predicate<UUID> runs) {
        isHere = runs;
    }

    void onWait(Runnable wake) {
        this.wake = wake;
    }

    /** Returns the end of the run. Each caller gets a future of its own, which it may cancel. */
    CompletableFuture<RunResult> result(UUID runId) {
        boolean alone = waiting.isEmpty();
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
            awaitFar(runId, alone);
        }
        if (far || foundNoWaiter) {
            wake.run();
        }
        return own;
    }

    private void awaitFar(UUID runId, boolean alone) {
        Duration soon = shortest();
        Duration untilOfAge =
                soon.minus(Duration.between(RunIds.time(runId), store.clock().now()));
        // Where no nudges announce ends, the first read does not wait, however young the run is.
        boolean young = untilOfAge.isPositive() && nudged.getAsBoolean() && endedBefore.getIfPresent(runId) == null;
        long at = store.clock().nanoTime() + soon.toNanos();
        if (!young) {
            old.add(runId);
        } else if (untilOfAge.compareTo(soon) < 0) {
            at = store.clock().nanoTime() + untilOfAge.toNanos();
        }
        interval = soon;
        askAt = alone || at - askAt < 0 ? at : askAt;
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

    /**
     * A condition on the store for which a client waits. It is checked a little less often each time, and takes at most
     * a small part of this loop's time.
     */
    private static final class Condition {
        private static final int SHARE = 10;

        private final BooleanSupplier holds;
        private final CompletableFuture<Boolean> end = new CompletableFuture<>();
        private Duration pause = SHORTEST;
        private volatile long askAt = System.nanoTime();
        private volatile long askNotBefore = askAt;

        Condition(BooleanSupplier holds) {
            this.holds = holds;
        }

        /** Has the condition checked soon, as a run has closed and it may hold now. */
        void soon() {
            askAt = askNotBefore;
        }

        /**
         * Checks the condition if it is time; returns the nanoseconds until the next check, zero or less for at once.
         */
        long ask() {
            long began = System.nanoTime();
            if (end.isDone() || began - askAt < 0) {
                return end.isDone() ? 0 : askAt - began;
            }
            boolean over = holds.getAsBoolean();
            long took = System.nanoTime() - began;
            Duration longer = pause.multipliedBy(3).dividedBy(2);
            pause = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
            askNotBefore = began + took + SHARE * took;
            askAt = Math.max(began + took + pause.toNanos(), askNotBefore);
            return over && end.complete(true) ? 0 : askAt - System.nanoTime();
        }
    }

    /**
     * Returns a future that completes when the condition holds; it is checked on this loop, which it should not hold
     * up.
     */
    CompletableFuture<?> until(BooleanSupplier condition) {
        Condition wanted = new Condition(condition);
        conditions.add(wanted);
        if (closed) {
            close();
        }
        wake.run();
        return wanted.end;
    }

    @Override
    public void answered(RunKey run, List<UUID> consumed, List<Reply> replies) {
        updates.written(run, consumed, replies);
    }

    /** Returns the callers that wait for updates. */
    UpdateWaiters updates() {
        return updates;
    }

    /** Returns the callers that wait for entries of streams. */
    StreamWaiters streams() {
        return streams;
    }

    /** Returns the number of runs that clients wait for. */
    int size() {
        return waiting.size();
    }

    @Override
    public void closed(UUID runId, RunResult result) {
        if (!conditions.isEmpty()) {
            conditions.forEach(Condition::soon);
            wake.run();
        }
        updates.look(runId);
        streams.loop().look(runId);
        Wanted wanted = waiting.remove(runId);
        if (wanted == null) {
            endedBefore.put(runId, true);
            // A client that began to wait before that entry was made has not seen it.
            wanted = waiting.remove(runId);
        }
        if (wanted != null) {
            wanted.end.complete(result);
        }
    }

    /**
     * Reads the run soon, as it may have closed, if a client waits for it; a client that comes a little later has it
     * read at once.
     */
    @Override
    public void look(UUID runId) {
        endedBefore.put(runId, true);
        updates.look(runId);
        streams.loop().look(runId);
        if (waiting.containsKey(runId)) {
            hintsArrive = true;
            hinted.add(runId);
            wake.run();
        }
    }

    /** Reads all runs, as nudges may have been lost. */
    void look() {
        hinted.addAll(waiting.keySet());
        updates.look();
        streams.loop().look();
        wake.run();
    }

    /** Stops polling: present and later waits fail. */
    void close() {
        closed = true;
        updates.close();
        streams.loop().close();
        conditions.forEach(wanted -> wanted.end.completeExceptionally(BlockedCallers.engineIsClosed()));
        conditions.clear();
        for (UUID run : waiting.keySet()) {
            Wanted wanted = waiting.remove(run);
            if (wanted != null) {
                wanted.end.completeExceptionally(BlockedCallers.engineIsClosed());
            }
        }
    }

    private Duration shortest() {
        return hintsArrive ? SHORTEST_WITH_HINTS : SHORTEST;
    }

    @Override
    public Duration runOnce() {
        Duration runs = lookForEnds();
        Duration others = askConditions();
        return runs.compareTo(others) < 0 ? runs : others;
    }

    /** Returns the longest pause during an outage, so that clients hardly wait for longer than the outage lasts. */
    @Override
    public Duration patience() {
        return LONGEST;
    }

    private Duration askConditions() {
        Duration soonest = UNTIL_WOKEN;
        for (Condition wanted : List.copyOf(conditions)) {
            try {
                // A condition that may hold now, according to a run's end meanwhile, is checked again at once; it is
                // not over.
                Duration left = Duration.ofNanos(Math.max(0, wanted.ask()));
                if (wanted.end.isDone()) {
                    conditions.remove(wanted);
                } else if (left.compareTo(soonest) < 0) {
                    soonest = left;
                }
            } catch (StoreUnavailableException e) {
                soonest = LONGEST;
            } catch (RuntimeException e) {
                wanted.end.completeExceptionally(e);
                conditions.remove(wanted);
            }
        }
        return soonest;
    }

    private Duration lookForEnds() {
        if (waiting.isEmpty()) {
            foundNoWaiter = true;
            // Checked again: a client may have come before it could see that it has to wake this loop.
            if (waiting.isEmpty()) {
                return UNTIL_WOKEN;
            }
        }
        if (foundNoWaiter) {
            foundNoWaiter = false;
            askAllAt = store.clock().nanoTime() + LONGEST.toNanos();
            askMissingAt = store.clock().nanoTime() + MISSING.toNanos();
            missing = Set.of();
        }
        Set<UUID> said = take(hinted);
        Set<UUID> mayHave = take(old);
        Set<UUID> found = ask(wanted(said, mayHave));
        if (!found.isEmpty()) {
            hintsArrive &= found.stream().allMatch(run -> said.contains(run) || mayHave.contains(run));
            interval = shortest();
        }
        if (store.clock().nanoTime() - askMissingAt >= 0) {
            askMissingAt = store.clock().nanoTime() + MISSING.toNanos();
            askMissing();
        }
        long now = store.clock().nanoTime();
        return Duration.ofNanos(Math.max(1, Math.min(askAt - now, askAllAt - now)));
    }

    /**
     * Returns the runs to read: from time to time all of them; else these, and those that go on elsewhere, if it is
     * their time.
     */
    private Collection<UUID> wanted(Set<UUID> said, Set<UUID> mayHave) {
        long now = store.clock().nanoTime();
        boolean all = now - askAllAt >= 0;
        boolean far = now - askAt >= 0;
        if (all) {
            askAllAt = now + LONGEST.toNanos();
        }
        if (far) {
            Duration longer = interval.multipliedBy(3).dividedBy(2);
            askAt = now + interval.toNanos();
            interval = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
        }
        if (all) {
            return waiting.keySet();
        }
        Set<UUID> wanted = new HashSet<>(said);
        wanted.addAll(mayHave);
        if (far) {
            waiting.keySet().stream().filter(isHere.negate()).forEach(wanted::add);
        }
        return wanted;
    }

    /** Takes the runs that are to be read now; runs that are added meanwhile are read the next time. */
    private Set<UUID> take(Set<UUID> from) {
        Set<UUID> taken = Set.copyOf(from);
        from.removeAll(taken);
        return taken.stream().filter(waiting::containsKey).collect(Collectors.toSet());
    }

    private void askMissing() {
        Set<UUID> before = missing;
        Set<UUID> now = new HashSet<>();
        for (List<UUID> part : parts(waiting.keySet())) {
            now.addAll(store.unknown(part));
        }
        missing = now;
        now.stream().filter(before::contains).forEach(run -> {
            Wanted wanted = waiting.remove(run);
            if (wanted != null) {
                wanted.end.completeExceptionally(new WorkflowNotFoundException("run " + run
                        + " is not in the store any more, so it has no result. It was there when this wait began. Usual"
                        + " cause: the database was restored to an earlier time, or failed over to a standby that had not"
                        + " received it; start it again under its workflow id if its work is still wanted. Or it closed,"
                        + " and retention removed it before its result was read."));
            }
        });
    }

    private static List<List<UUID>> parts(Collection<UUID> all) {
        List<UUID> ids = new ArrayList<>(all);
        List<List<UUID>> parts = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += IDS_PER_QUERY) {
            parts.add(ids.subList(from, Math.min(ids.size(), from + IDS_PER_QUERY)));
        }
        return parts;
    }

    /** Reads which of the runs have closed, completes their futures and returns them. */
    private Set<UUID> ask(Collection<UUID> wanted) {
        Set<UUID> found = new HashSet<>();
        for (List<UUID> part : parts(wanted)) {
            List<ClosedRun> some;
            do {
                some = store.closed(
                        part.stream().filter(id -> !found.contains(id)).toList());
                for (ClosedRun run : some) {
                    closed(run.runId(), RunResult.of(run));
                    found.add(run.runId());
                }
            } while (!Portion.isWhole(some, Integer.MAX_VALUE, ClosedRun::atMost));
        }
        return found;
    }
}
