package dev.durable.benchmarks;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Keeps a number of runs in flight for a while: each that ends is followed by the next, until time is up. */
final class InFlight {
    private static final Duration STUCK = Duration.ofMinutes(2);

    /** One run, from its start to its result. */
    @FunctionalInterface
    interface Run {
        void at(long number) throws Exception;
    }

    private final AtomicLong number;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /** @param number counts runs over several calls, so that their ids differ */
    InFlight(AtomicLong number) {
        this.number = number;
    }

    /** Returns how many runs have ended, all that were started. */
    long during(Duration time, int atOnce, Run run) throws Exception {
        long before = number.get();
        long end = System.nanoTime() + time.toNanos();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        for (int i = 0; i < atOnce; i++) {
            threads.execute(() -> oneAfterTheOther(end, run));
        }
        threads.shutdown();
        boolean ended = threads.awaitTermination(time.plus(STUCK).toSeconds(), TimeUnit.SECONDS);
        Exception failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        if (!ended) {
            throw new IllegalStateException("Some runs did not end within " + STUCK.toMinutes()
                    + " minutes after the last one was started: they are stuck, or much too slow.");
        }
        return number.get() - before;
    }

    private void oneAfterTheOther(long end, Run run) {
        try {
            while (System.nanoTime() < end && failure.get() == null) {
                run.at(number.incrementAndGet());
            }
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }
}
