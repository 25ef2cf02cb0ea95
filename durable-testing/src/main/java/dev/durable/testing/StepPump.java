package dev.durable.testing;

import dev.durable.internal.drive.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread that cranks all steps of an engine in turn while any has work, and the threads of activity bodies. It is
 * <i>idle</i> when every step said it has nothing to do, none was woken since, and no activity body runs.
 *
 * <p>Its state, that of its {@link BodyWatch}, and what else {@link #locked} changes, is guarded by one lock.
 */
final class StepPump {
    /** How soon, in real time, steps look again where no event wakes them. */
    static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final List<Slot> slots = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ExecutorService bodies = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("durable-activity-", 0).factory());
    private final Thread pump =
            Thread.ofPlatform().daemon().name("durable-pump").unstarted(this::run);
    private final BodyWatch bodyWatch;

    private boolean bodiesGivenUp;
    private boolean cranking;
    private long lastWake = System.nanoTime();
    private boolean stopped;
    private @Nullable Throwable broken;

    StepPump(BodyWatch bodyWatch) {
        this.bodyWatch = bodyWatch;
    }

    /** The ends of a wait. */
    enum Seen {
        DONE,
        /** Nothing is left to do at this time. */
        IDLE,
        /** Idle but for bodies that run and do nothing. */
        BODIES_STAND,
        /** Idle but for bodies that have done nothing for so long that they are given up. */
        BODIES_HANG
    }

    /** Gives the action that wakes the step. */
    Runnable add(Step step) {
        Slot slot = new Slot(step);
        locked(() -> slots.add(slot));
        return () -> locked(() -> {
            slot.woken = true;
            lastWake = System.nanoTime();
        });
    }

    /** The threads of activity bodies, watched. */
    Executor bodies() {
        return body -> {
            locked(bodyWatch::submitted);
            bodies.execute(() -> {
                Thread thread = Thread.currentThread();
                locked(() -> bodyWatch.begun(thread));
                try {
                    body.run();
                } finally {
                    locked(() -> bodyWatch.ended(thread));
                }
            });
        };
    }

    /** Changes the state under the lock, and wakes all threads that wait for a change. */
    void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Reads the state under the lock. */
    <T extends @Nullable Object> T get(Supplier<T> state) {
        lock.lock();
        try {
            return state.get();
        } finally {
            lock.unlock();
        }
    }

    // ── waiting ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Waits until the future is done, or until the pump is idle or only kept from it by bodies that do nothing.
     *
     * @param refuse throws where the wait is in vain, whenever the steps have nothing to do
     */
    Seen idleOrDone(CompletableFuture<?> future, Runnable refuse) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                if (future.isDone()) {
                    refuseBroken();
                    return Seen.DONE;
                }
                if (stepsAreIdle()) {
                    refuseBroken();
                    refuse.run();
                    if (idle()) {
                        return Seen.IDLE;
                    }
                    bodyWatch.look();
                    if (bodyWatch.stand()) {
                        return bodyWatch.standForLong() ? Seen.BODIES_HANG : Seen.BODIES_STAND;
                    }
                }
                awaitChange();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is idle at the end of a test; false where bodies hang. */
    boolean awaitEnd() throws InterruptedException {
        lock.lock();
        try {
            bodyWatch.watchEnd();
            while (!idle()) {
                bodyWatch.look();
                if (bodyWatch.hang()) {
                    return false;
                }
                awaitChange();
            }
            refuseBroken();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the steps have nothing to do; bodies are given a moment. */
    void breathe() throws InterruptedException {
        lock.lock();
        try {
            if (bodyWatch.anyRun()) {
                lookAgain();
            }
            while (!stopped && !stepsAreIdle()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a change of the pump; bodies signal nothing of what they do, so they are looked at. */
    @SuppressWarnings("WaitNotInLoop") // its callers loop
    private void awaitChange() throws InterruptedException {
        if (bodyWatch.anyRun()) {
            changed.awaitNanos(BodyWatch.LOOK_NANOS);
        } else {
            changed.await();
        }
    }

    /** Returns whether neither a step nor another thread of the test has done anything for so long, in real time. */
    boolean quietFor(long nanos) {
        return get(() -> System.nanoTime() - lastWake > nanos);
    }

    /** After a moment of real time: what a store with a running clock found not yet due may be so now. */
    @SuppressWarnings("WaitNotInLoop") // a pause that may be cut short
    void lookAgain() throws InterruptedException {
        lock.lock();
        try {
            changed.awaitNanos(LOOK_AGAIN_NANOS);
            slots.forEach(slot -> slot.woken = true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether some step wants to be cranked again within this time. */
    boolean looksAgainWithin(Duration moment) {
        return get(() -> slots.stream().anyMatch(slot -> slot.sleep.compareTo(moment) <= 0));
    }

    boolean isStopped() {
        return get(() -> stopped);
    }

    private boolean idle() {
        return broken != null || (bodiesAreIdle() && stepsAreIdle());
    }

    /** Returns whether no body runs that is waited for. */
    boolean bodiesAreIdle() {
        return get(() -> !bodyWatch.anyRun() || bodiesGivenUp);
    }

    /** Returns whether no step is being cranked or was woken. */
    boolean stepsAreIdle() {
        return get(() -> broken != null || (!cranking && slots.stream().noneMatch(slot -> slot.woken)));
    }

    private void refuseBroken() {
        if (broken != null) {
            throw new IllegalStateException("the test engine broke down", broken);
        }
    }

    /** Time has moved: all look at what is due now. */
    void timeMoved() {
        locked(() -> {
            lastWake = System.nanoTime();
            bodyWatch.timeMoved();
            slots.forEach(slot -> slot.woken = true);
        });
    }

    /** Bodies are waited for no longer: so that the engine can be closed, also where one ignores its interrupt. */
    void giveUpBodies() {
        locked(() -> {
            bodiesGivenUp = true;
            bodyWatch.interrupt();
        });
    }

    // ── cranking ─────────────────────────────────────────────────────────────────────────────────────────────────────

    void start() {
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
                    cranked.sleep = sleep;
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
                // On a store whose time goes on by itself, if slowly, deadlines of a body come without a move of time.
                if (!bodyWatch.anyRun()) {
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

    void close() {
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
        private Duration sleep = Step.UNTIL_WOKEN;

        Slot(Step step) {
            this.step = step;
        }
    }
}
