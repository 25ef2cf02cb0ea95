package dev.durable.benchmarks;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Keeps a number of runs in flight: each that ends is followed by the next, until there is enough. */
final class InFlight {
    private static final Duration STUCK = Duration.ofMinutes(10);

    /** One run, from its start to its end. */
    @FunctionalInterface
    interface Run {
        void at(long number) throws Exception;
    }

    private final AtomicLong next;
    private final AtomicLong ended = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    private InFlight(AtomicLong next) {
        this.next = next;
    }

    /**
     * For so long; returns how many there were, all of which have ended.
     *
     * @param next the number of the next one, so that several calls never use one twice
     */
    static long during(Duration time, int atOnce, AtomicLong next, Run run) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        return new InFlight(next).play(atOnce, n -> System.nanoTime() < end, run);
    }

    /** For each number from zero to below the count. */
    static void each(long count, int atOnce, Run run) throws Exception {
        new InFlight(new AtomicLong()).play(atOnce, n -> n < count, run);
    }

    private long play(int atOnce, LongPredicate wanted, Run run) throws Exception {
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < atOnce; i++) {
            threads.execute(() -> oneAfterTheOther(wanted, run));
        }
        threads.shutdown();
        boolean all = threads.awaitTermination(STUCK.toSeconds(), TimeUnit.SECONDS);
        Exception failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        if (!all) {
            throw new IllegalStateException("Some runs did not end within " + STUCK.toMinutes()
                    + " minutes: they are stuck, or much too slow.");
        }
        return ended.get();
    }

    private void oneAfterTheOther(LongPredicate wanted, Run run) {
        try {
            for (long n = next.getAndIncrement(); wanted.test(n) && failure.get() == null; n = next.getAndIncrement()) {
                run.at(n);
                ended.incrementAndGet();
            }
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }
}
