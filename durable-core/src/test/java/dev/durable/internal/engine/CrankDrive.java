package dev.durable.internal.engine;

import dev.durable.internal.dispatch.ActivityBench;
import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/** Cranks all steps on the thread that waits, and lets a tenth of a second pass between two rounds. */
final class CrankDrive implements Drive {
    private static final Duration ROUND = Duration.ofMillis(100);

    final List<Thread> bodies = new ArrayList<>();
    private final VirtualClock clock;
    private final List<Step> steps = new ArrayList<>();
    private Runnable eachRound = () -> {};
    boolean closed;
    private boolean busy;

    CrankDrive(VirtualClock clock) {
        this.clock = clock;
    }

    /** Sets the action of a test between two rounds. */
    void eachRound(Runnable action) {
        eachRound = action;
    }

    @Override
    public Runnable add(String name, Kind kind, Step step) {
        steps.add(step);
        return () -> {};
    }

    /** Threads get no time from now on: bodies are handed over, but do not begin. */
    void busy() {
        busy = true;
    }

    /** A thread for each body. */
    @Override
    public Executor activities(String taskQueue, boolean virtualThreads) {
        return body -> {
            Thread thread = Thread.ofPlatform().daemon().unstarted(body);
            bodies.add(thread);
            if (!busy) {
                thread.start();
            }
        };
    }

    /** Cranks every step once. */
    void crank() throws InterruptedException {
        for (Step step : List.copyOf(steps)) {
            ActivityBench.crank(step);
        }
    }

    @Override
    public <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        Instant end = timeout == null ? Instant.MAX : clock.now().plus(timeout);
        while (true) {
            crank();
            eachRound.run();
            crank();
            if (future.isDone()) {
                return future.get();
            }
            if (!clock.now().isBefore(end)) {
                throw new TimeoutException();
            }
            clock.advance(ROUND);
        }
    }

    @Override
    public void breathe() {}

    @Override
    public void start() {}

    @Override
    public long nanosSinceProgress() {
        return 0;
    }

    @Override
    public void close() {
        closed = true;
    }
}
