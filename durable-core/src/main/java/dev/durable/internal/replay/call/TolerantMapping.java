package dev.durable.internal.replay.call;

import dev.durable.MapResult;
import dev.durable.Promise;
import dev.durable.internal.replay.coroutine.DurablePromise;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One {@code Promise.map} some of whose items may fail. As many coroutines as may be at work at once take item after
 * item, until one of them finds that the goal is met or can't be met any more; the caller then cancels the others.
 */
final class TolerantMapping<S extends @Nullable Object, R extends @Nullable Object> {
    private final List<S> items;
    private final MapGoal goal;
    private final Promise.Then<? super S, ? extends R> fn;
    private final DurableCalls run = DurableCalls.current("Promise.map");
    private final TreeMap<Integer, MapResult.Success<S, R>> successes = new TreeMap<>();
    private final TreeMap<Integer, MapResult.Failed<S>> failures = new TreeMap<>();
    private int next;
    /** True where the map has succeeded, false where it has failed; null while it can still do either. */
    private @Nullable Boolean verdict;

    TolerantMapping(Collection<? extends S> items, MapGoal goal, Promise.Then<? super S, ? extends R> fn) {
        this.items = new ArrayList<>(items);
        this.goal = goal;
        this.fn = fn;
    }

    MapResult<S, R> run() {
        judge();
        List<DurablePromise<@Nullable Void>> lanes = new ArrayList<>();
        for (int lane = 0; verdict == null && lane < Math.min(goal.atOnce(), items.size()); lane++) {
            DurablePromise<@Nullable Void> promise = run.start("Promise.map", "map", this::takeOneByOne);
            promise.observe();
            lanes.add(promise);
        }
        try {
            Combinators.waitFor("Promise.map", lanes, lane -> verdict != null || lane.hasFailed());
            lanes.stream().filter(DurablePromise::hasFailed).findFirst().ifPresent(DurablePromise::valueOrUnchecked);
        } catch (RuntimeException e) {
            lanes.forEach(DurablePromise::cancel);
            throw e;
        }
        MapResult<S, R> result = result();
        if (!result.unfinished().isEmpty()) {
            lanes.forEach(DurablePromise::cancel);
        }
        return result;
    }

    private @Nullable Void takeOneByOne() throws Exception {
        while (verdict == null && next < items.size()) {
            int index = next++;
            S item = items.get(index);
            try {
                successes.put(index, new MapResult.Success<>(index, item, fn.apply(item)));
            } catch (Exception e) {
                if (run.isCancelled() || StallRules.isMisuse(e)) {
                    throw e;
                }
                failures.put(index, new MapResult.Failed<>(index, item, e));
            }
            judge();
        }
        return null;
    }

    private void judge() {
        if (verdict != null) {
            return;
        }
        if (failures.size() > goal.tolerated()) {
            verdict = false;
        } else if (successes.size() >= goal.minSuccessful() || successes.size() + failures.size() == items.size()) {
            verdict = true;
        }
    }

    private MapResult<S, R> result() {
        List<S> unfinished = new ArrayList<>();
        for (int index = 0; index < items.size(); index++) {
            if (!successes.containsKey(index) && !failures.containsKey(index)) {
                unfinished.add(items.get(index));
            }
        }
        return new MapResult<>(
                List.copyOf(successes.values()),
                List.copyOf(failures.values()),
                unfinished,
                Boolean.TRUE.equals(verdict));
    }
}
