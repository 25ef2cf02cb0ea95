package dev.durable.internal.replay.call;

import dev.durable.MapOptionsBuilder;
import dev.durable.MapResult;
import dev.durable.Promise;
import dev.durable.UsageException;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.Eviction;
import dev.durable.internal.replay.coroutine.WaitCondition;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.text.Thrown;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Implements {@code Promise.all}, {@code any} and {@code map}. */
public final class Combinators {
    private Combinators() {}

    /** Returns the results in order, or throws the first failure in order of settling, as soon as there is one. */
    public static <T extends @Nullable Object> List<T> all(Collection<? extends Promise<? extends T>> promises) {
        List<DurablePromise<? extends T>> all = own(promises, "Promise.all");
        if (all.stream().noneMatch(DurablePromise::hasFailed)) {
            waitFor("Promise.all", all, DurablePromise::hasFailed);
        }
        firstSettled(all, DurablePromise::hasFailed).ifPresent(DurablePromise::valueOrUnchecked);
        List<T> results = new ArrayList<>(all.size());
        all.forEach(promise -> results.add(promise.valueOrUnchecked()));
        return Collections.unmodifiableList(results);
    }

    /**
     * Returns the first success in order of settling; where all failed, throws the first failure, with the others as
     * its suppressed ones.
     */
    public static <T extends @Nullable Object> T any(Collection<? extends Promise<? extends T>> promises) {
        List<DurablePromise<? extends T>> all = own(promises, "Promise.any");
        if (all.isEmpty()) {
            throw new UsageException("Promise.any needs at least one promise: nothing would ever be the first");
        }
        if (all.stream().noneMatch(Combinators::hasSucceeded)) {
            waitFor("Promise.any", all, Combinators::hasSucceeded);
        }
        Optional<DurablePromise<? extends T>> succeeded = firstSettled(all, Combinators::hasSucceeded);
        return succeeded.isPresent() ? succeeded.get().valueOrUnchecked() : allFailed(all);
    }

    /**
     * Creates the exception for promises that all failed: a copy, as a promise may be read again, and two may have
     * failed by one exception.
     */
    private static <T extends @Nullable Object> T allFailed(List<DurablePromise<? extends T>> all) {
        List<DurablePromise<? extends T>> failed = all.stream()
                .sorted(Comparator.comparingLong(DurablePromise::settledAs))
                .toList();
        try {
            return failed.getFirst().valueOrUnchecked();
        } catch (StalledException | Eviction e) {
            throw e;
        } catch (RuntimeException | Error first) {
            Set<Throwable> known = Collections.newSetFromMap(new IdentityHashMap<>());
            known.add(first);
            known.addAll(Thrown.of(first).suppressed());
            for (DurablePromise<? extends T> promise : failed.subList(1, failed.size())) {
                Throwable other = promise.failureOrNull();
                if (other instanceof StalledException || other instanceof Eviction) {
                    return promise.valueOrUnchecked();
                }
                if (other != null && known.add(other)) {
                    first.addSuppressed(other);
                }
            }
            throw first;
        }
    }

    /** Starts as many coroutines as may be at work at once, each of which takes the next item until there is none. */
    public static <S extends @Nullable Object, R extends @Nullable Object> List<R> map(
            Collection<? extends S> items, int atOnce, Promise.Then<? super S, ? extends R> fn) {
        if (atOnce < 1) {
            throw new UsageException("Promise.map needs to have at least 1 at once, not " + atOnce);
        }
        return new Mapping<S, R>(items, fn).run(atOnce);
    }

    /** Applies the function to all items, some of which may fail. */
    public static <S extends @Nullable Object, R extends @Nullable Object> MapResult<S, R> map(
            Collection<? extends S> items,
            Consumer<MapOptionsBuilder> options,
            Promise.Then<? super S, ? extends R> fn) {
        return new TolerantMapping<S, R>(items, MapGoal.of(options, items.size()), fn).run();
    }

    /** One {@code Promise.map}: its items, how many are under way, and their results. */
    private static final class Mapping<S extends @Nullable Object, R extends @Nullable Object> {
        private final List<S> items;
        private final Promise.Then<? super S, ? extends R> fn;
        private final @Nullable Object[] results;
        private int next;

        Mapping(Collection<? extends S> items, Promise.Then<? super S, ? extends R> fn) {
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
                all(lanes);
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

    /** Waits until one is enough, or all have settled. */
    static void waitFor(String call, Collection<? extends DurablePromise<?>> all, Predicate<DurablePromise<?>> enough) {
        Set<DurablePromise<?>> open = new LinkedHashSet<>(all);
        open.removeIf(DurablePromise::isSettled);
        if (open.isEmpty()) {
            return;
        }
        int[] left = {open.size()};
        DurableCalls.current(call)
                .waitFor(call, new WaitCondition(open, one -> --left[0] == 0 || enough.test(one), null));
    }

    private static <T extends @Nullable Object> Optional<DurablePromise<? extends T>> firstSettled(
            List<DurablePromise<? extends T>> all, Predicate<DurablePromise<?>> which) {
        return all.stream().filter(which).min(Comparator.comparingLong(DurablePromise::settledAs));
    }

    private static boolean hasSucceeded(DurablePromise<?> promise) {
        return promise.isSettled() && !promise.hasFailed();
    }

    private static <T extends @Nullable Object> List<DurablePromise<? extends T>> own(
            Collection<? extends Promise<? extends T>> promises, String call) {
        DurableCalls run = DurableCalls.current(call);
        List<DurablePromise<? extends T>> own = new ArrayList<>(promises.size());
        for (Promise<? extends T> promise : promises) {
            if (!(promise instanceof DurablePromise<? extends T> ours)) {
                throw new UsageException(call + " takes promises that Durable made, not a " + promise.getClass());
            }
            ours.checkOf(run, call);
            ours.observe();
            own.add(ours);
        }
        return own;
    }
}
