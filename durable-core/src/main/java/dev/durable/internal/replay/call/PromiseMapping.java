package dev.durable.internal.replay.call;

import dev.durable.Promise;
import dev.durable.internal.replay.coroutine.DurablePromise;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs one {@code Promise.map}: keeps its items, the number of those under way, and their results. */
final class PromiseMapping<S extends @Nullable Object, R extends @Nullable Object> {
    private final List<S> items;
    private final Promise.Then<? super S, ? extends R> fn;
    private final @Nullable Object[] results;
    private int next;

    PromiseMapping(Collection<? extends S> items, Promise.Then<? super S, ? extends R> fn) {
        this.items = new ArrayList<>(items);
        this.fn = fn;
        this.results = new @Nullable Object[items.size()];
    }

    @SuppressWarnings("unchecked") // what fn gave are Rs
    List<R> run(int atOnce) {
        DurableCalls run = DurableCalls.current("Promise.map");
        List<DurablePromise<@Nullable Void>> lanes = new ArrayList<>();
        for (int lane = 0; lane < Math.min(atOnce, items.size()); lane++) {
            lanes.add(run.start("Promise.map", "map", this::takeOneByOne));
        }
        try {
            Combinators.all(lanes);
        } catch (RuntimeException e) {
            lanes.forEach(DurablePromise::cancel);
            throw e;
        }
        return (List<R>) Collections.unmodifiableList(Arrays.asList(results));
    }

    private @Nullable Void takeOneByOne() throws Exception {
        while (next < items.size()) {
            int index = next++;
            results[index] = fn.apply(items.get(index));
        }
        return null;
    }
}
