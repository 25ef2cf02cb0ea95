package dev.durable.testing;

import dev.durable.worker.Drive;
import dev.durable.worker.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One thread that cranks all steps in turn while any has work, on time that stands still meanwhile.
 *
 * <p>It is <i>idle</i> when every step said it has nothing to do, none was woken since, and no activity body runs. Only
 * then may time move: to what a waiting client asked for at most, and from one due thing to the next, so that order is
 * kept. Sleeps that steps ask for are not slept: after each move of time all steps are cranked.
 */
final class PumpDrive implements Drive {
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final Duration PATIENCE_WITH_BODIES = Duration.ofSeconds(10);

    private static final String STILL_RUNNING = "activity bodies still running";

    private final TestTime time;
    private final List<Slot> slots = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ExecutorService bodies = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("durable-activity-", 0).factory());
    private final Thread pump =
            Thread.ofPlatform().daemon().name("durable-pump").unstarted(this::run);
    private final Set<Thread> bodyThreads = new LinkedHashSet<>();
    private final Duration patienceWithBodies;
    private int running;
    /** Bodies begun and bodies ended. */
    private long progress;

    private boolean bodiesGivenUp;
    private boolean cranking;
    private long lastWake = System.nanoTime();
    private boolean stopped;
    private @Nullable Throwable broken;

    /** @param patienceWithBodies real time that {@link #awaitEnd} gives bodies of which none begins or ends */
    PumpDrive(TestTime time, Duration patienceWithBodies) {
        this.time = time;
        this.patienceWithBodies = patienceWithBodies;
    }

    @Override
    public Runnable add(String name, Kind kind, Step step) {
        Slot slot = new Slot(step);
        locked(() -> slots.add(slot));
        return () -> locked(() -> {
            slot.woken = true;
            lastWake = System.nanoTime();
        });
    }

    @Override
    public Executor activities(String taskQueue, boolean virtualThreads) {
        return body -> {
            locked(() -> {
                running++;
                progress++;
            });
            bodies.execute(() -> {
                Thread thread = Thread.currentThread();
                locked(() -> bodyThreads.add(thread));
                try {
                    body.run();
                } finally {
                    locked(() -> {
                        bodyThreads.remove(thread);
                        running--;
                        progress++;
                    });
                }
            });
        };
    }

    // ── waiting ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        var unused = future.whenComplete((result, error) -> locked(() -> {}));
        Instant deadline = timeout == null ? Instant.MAX : time.now().plus(timeout);
        while (!idleOrDone(future)) {
            if (!time.now().isBefore(deadline)) {
                throw new TimeoutException();
            }
            Optional<Instant> due = time.nextDue().filter(next -> next.isAfter(time.now()));
            if (due.isPresent() || timeout != null) {
                moveTo(due.filter(next -> next.isBefore(deadline)).orElse(deadline));
            } else if (quiet()) {
                throw new IllegalStateException("the test waits for something that will never come: nothing is running,"
                        + " nothing is due at any time, and nobody sent anything for "
                        + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                        + " seconds. A workflow may wait for a signal that no one sends, or for an activity that is not"
                        + " registered here.");
            } else {
                lookAgain();
            }
        }
        return future.get();
    }

    /** A body may wait for what the caller does next, or for time to move: it is given a moment, and not waited for. */
    @Override
    public void breathe() {
        lock.lock();
        try {
            if (running > 0) {
                lookAgain();
            }
            while (!stopped && !stepsAreIdle()) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Until all bodies have ended, too. */
    void awaitIdle() {
        try {
            idleOrDone(new CompletableFuture<>());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
    }

    /**
     * As {@link #awaitIdle}, but a test that failed may have left a body that waits for it: such bodies are interrupted and
     * waited for no longer.
     */
    void awaitEnd() {
        lock.lock();
        try {
            long seen = progress;
            long left = patienceWithBodies.toNanos();
            while (!idle()) {
                // In slices, so that a halt in a debugger counts as one.
                long slice = Math.min(left, LOOK_AGAIN_NANOS);
                long before = System.nanoTime();
                changed.awaitNanos(slice);
                if (running == 0 || progress != seen) {
                    seen = progress;
                    left = patienceWithBodies.toNanos();
                } else {
                    left -= Math.min(slice, System.nanoTime() - before);
                }
                if (left <= 0) {
                    throw stuck();
                }
            }
            refuseBroken();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            IllegalStateException interrupted = interrupted(e);
            giveUpBodies();
            throw interrupted;
        } finally {
            lock.unlock();
        }
    }

    private IllegalStateException stuck() {
        IllegalStateException stuck = new IllegalStateException("the test is over with " + STILL_RUNNING
                + ". A body may wait for what the test did not come to do, or for time to move"
                + " (engine.advanceWhileRunning). It is interrupted now; histories are not replayed");
        bodyThreads.forEach(thread -> {
            Throwable where = new Throwable(thread.getName() + " is here");
            where.setStackTrace(thread.getStackTrace());
            stuck.addSuppressed(where);
        });
        giveUpBodies();
        return stuck;
    }

    /** So that the engine can be closed, also where one ignores its interrupt. */
    private void giveUpBodies() {
        bodiesGivenUp = true;
        bodyThreads.forEach(Thread::interrupt);
    }

    private IllegalStateException interrupted(InterruptedException e) {
        return new IllegalStateException(
                "interrupted while the test engine was waited for" + (bodiesRun() ? ", with " + STILL_RUNNING : ""), e);
    }

    private void refuseBroken() {
        if (broken != null) {
            throw new IllegalStateException("the test engine broke down", broken);
        }
    }

    private boolean bodiesRun() {
        lock.lock();
        try {
            return running > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Moves time, stopping at everything that is due on the way. */
    void advance(Duration by) {
        Instant target = time.now().plus(by);
        awaitIdle();
        while (time.now().isBefore(target)) {
            moveTo(time.nextDue()
                    .filter(next -> next.isAfter(time.now()) && next.isBefore(target))
                    .orElse(target));
            awaitIdle();
        }
    }

    /** Moves time at once, whoever is at work. */
    void jump(Duration by) {
        moveTo(time.now().plus(by));
    }

    private void moveTo(Instant instant) {
        time.advanceTo(instant);
        locked(() -> {
            lastWake = System.nanoTime();
            slots.forEach(slot -> slot.woken = true);
        });
    }

    /** Waits until the future is done or the pump is idle; tells which. */
    private boolean idleOrDone(CompletableFuture<?> future) throws InterruptedException {
        lock.lock();
        try {
            while (!future.isDone() && !idle()) {
                changed.await();
            }
            refuseBroken();
            return future.isDone();
        } finally {
            lock.unlock();
        }
    }

    /** In real time: whether neither a step nor another thread of the test has done anything for long. */
    private boolean quiet() {
        lock.lock();
        try {
            return System.nanoTime() - lastWake > PATIENCE_NANOS;
        } finally {
            lock.unlock();
        }
    }

    /** After a moment of real time: what a store with a running clock found not yet due may be so now. */
    @SuppressWarnings("WaitNotInLoop") // a pause that may be cut short
    private void lookAgain() throws InterruptedException {
        lock.lock();
        try {
            changed.awaitNanos(LOOK_AGAIN_NANOS);
            slots.forEach(slot -> slot.woken = true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean idle() {
        return broken != null || ((running == 0 || bodiesGivenUp) && stepsAreIdle());
    }

    private boolean stepsAreIdle() {
        return broken != null || (!cranking && slots.stream().noneMatch(slot -> slot.woken));
    }

    // ── cranking ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void start() {
        pump.start();
    }

    private void run() {
        try {
            for (Slot slot = next(); slot != null; slot = next()) {
                Duration sleep = slot.step.runOnce();
                Slot cranked = slot;
                locked(() -> {
                    cranking = false;
                    cranked.woken |= sleep.isZero();
                });
            }
        } catch (InterruptedException e) {
            locked(() -> stopped = true);
        } catch (RuntimeException | Error e) {
            locked(() -> {
                cranking = false;
                broken = e;
            });
        }
    }

    private @Nullable Slot next() throws InterruptedException {
        lock.lock();
        try {
            while (!stopped) {
                for (Slot slot : slots) {
                    if (slot.woken) {
                        slot.woken = false;
                        cranking = true;
                        return slot;
                    }
                }
                // On a store whose time runs on, the deadlines of a body that hangs come without anybody moving time.
                if (running == 0) {
                    changed.await();
                } else if (changed.awaitNanos(LOOK_AGAIN_NANOS) <= 0) {
                    slots.forEach(slot -> slot.woken = true);
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nanosSinceProgress() {
        return 0;
    }

    @Override
    public void close() {
        locked(() -> stopped = true);
        bodies.shutdownNow();
        try {
            pump.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Slot {
        private final Step step;
        private boolean woken = true;

        Slot(Step step) {
            this.step = step;
        }
    }
}
