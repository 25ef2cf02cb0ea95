package dev.durable.store.contract;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Threads that start at once and are all waited for. */
final class Race {
    static final int THREADS = 8;
    private static final int PATIENCE_SECONDS = 60;

    private Race() {}

    /** What one thread does. */
    interface Runner<T> {
        T run(int thread) throws Exception;
    }

    /** What each of the threads gave, in their order; the first failure of any is thrown. */
    static <T> List<T> run(int threads, Runner<T> runner) throws Exception {
        CyclicBarrier line = new CyclicBarrier(threads);
        List<Future<T>> running = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(pool.submit(() -> {
                    line.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    return runner.run(thread);
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> result : running) {
                results.add(result.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        }
    }

    static <T> List<T> run(Runner<T> runner) throws Exception {
        return run(THREADS, runner);
    }

    /** Does the work again until the condition holds: each round is a real one against the store, nobody sleeps. */
    static void until(BooleanSupplier done, Runnable work) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!done.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not done after " + PATIENCE_SECONDS + " s");
            }
            work.run();
        }
    }

    static <T> List<T> shuffled(List<T> items, int seed) {
        return shuffle(new ArrayList<>(items), new Random(seed));
    }

    static <T> List<T> shuffle(List<T> items, Random random) {
        Collections.shuffle(items, random);
        return items;
    }
}
