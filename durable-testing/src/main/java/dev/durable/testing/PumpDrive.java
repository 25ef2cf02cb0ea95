package dev.durable.testing;

import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
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
 * kept. Sleeps that steps ask for are not slept: after each move of time all steps are cranked. Where bodies run and do
 * nothing, as {@link BodyWatch} sees it, time moves as well, if it is a timer of a workflow that may end the wait.
 *
 * <p>A run that stalls ends what waits, once: it would be tried again for ever.
 */
final class PumpDrive implements Drive {
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** What hangs on a promised result may send something when it comes. */
    private static final long CALLBACKS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long LOOK_AT_ASKER_MILLIS = 2;
    /** By how much later than a store says steps look at what is due. */
    private static final Duration MOMENT = Duration.ofMillis(1);

    /**
     * How often the steps look again, each time after a moment of real time, before time moves to the limit of a wait: what
     * a wait is for may be there already and be asked for by a step that goes by real time, as with batches.
     */
    private static final int LAST_LOOKS = 2;

    /** Moves of time in one wait after which it is asked, each time so many later, whether it waits for what only fails. */
    private static final int MANY_MOVES = 500;

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
    private final BodyWatch bodyWatch;
    /** Held while it is found that time may move and while it moves, so that nobody moves it twice for one reason. */
    private final ReentrantLock moving = new ReentrantLock();
    /** Stalls that no wait has told of yet. */
    private final Deque<WorkflowStalledException> stalls = new ArrayDeque<>();

    private final Set<UUID> stalledRuns = new HashSet<>();

    /** Up to when all steps have looked at what is due; on a store whose time runs on it is earlier than now. */
    private volatile Instant looked;

    private @Nullable Outlook outlook;
    private long lastPromiseKept = System.nanoTime() - CALLBACKS_NANOS;
    private boolean bodiesGivenUp;
    private boolean cranking;
    private long lastWake = System.nanoTime();
    private boolean stopped;
    private @Nullable Throwable broken;

    /** @param patienceWithBodies real time that {@link #awaitEnd} gives bodies of which none begins or ends */
    PumpDrive(TestTime time, Duration patienceWithBodies) {
        this.time = time;
        this.looked = time.now();
        this.bodyWatch = new BodyWatch(patienceWithBodies);
    }

    /** What may come in the engine that is driven; before anything waits. */
    void outlook(Outlook engines) {
        this.outlook = engines;
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

    // ── waiting ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /** What a wait has come to. */
    private enum Seen {
        DONE,
        /** Nothing is left to do at this time. */
        IDLE,
        /** The same but for bodies that run and do nothing. */
        BODIES_STAND,
        /** And have done nothing for so long that they are given up. */
        BODIES_HANG
    }

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        var unused = future.whenComplete((result, error) -> locked(() -> {}));
        locked(bodyWatch::watchAnew);
        Instant deadline = timeout == null ? Instant.MAX : time.now().plus(timeout);
        int moves = 0;
        int looks = 0;
        for (Seen seen = caughtUp(future); seen != Seen.DONE; seen = caughtUp(future)) {
            if (timeout != null && seen == Seen.IDLE && looks < LAST_LOOKS && nothingIsDueBefore(deadline)) {
                looks++;
                lookAgain();
                continue;
            }
            if (!time.now().isBefore(deadline)) {
                throw new TimeoutException();
            }
            if (timeout == null && ++moves % MANY_MOVES == 0) {
                refuseFailingForEver();
            }
            goOn(future, seen, timeout == null ? null : deadline);
        }
        return future.get();
    }

    private boolean nothingIsDueBefore(Instant deadline) {
        return time.nextDue(looked).filter(due -> due.isBefore(deadline)).isEmpty();
    }

    /** Moves time to what is due next, if that may bring the future; else waits a moment, or says that it never comes. */
    private void goOn(CompletableFuture<?> future, Seen seen, @Nullable Instant deadline) throws InterruptedException {
        moving.lock();
        try {
            if (!still(seen)) {
                return;
            }
            Optional<Instant> due = time.nextDue(looked);
            if (mayMove(seen, due, deadline)) {
                moveTo(
                        deadline == null
                                ? due.orElseThrow()
                                : due.filter(next -> next.isBefore(deadline)).orElse(deadline));
                return;
            }
        } finally {
            moving.unlock();
        }
        if (seen == Seen.BODIES_HANG) {
            throw hanging("the test waits with " + STILL_RUNNING, " They do nothing", "");
        } else if (seen == Seen.IDLE) {
            refuseNever();
        }
        if (!future.isDone()) {
            lookAgain();
        }
    }

    /** As {@link #idleOrDone}, and no timer is due that a step wants to look at a moment later than it is due. */
    private Seen caughtUp(CompletableFuture<?> future) throws InterruptedException {
        Seen seen = idleOrDone(future);
        while (seen == Seen.IDLE && catchUp()) {
            seen = idleOrDone(future);
        }
        return seen;
    }

    private boolean catchUp() {
        moving.lock();
        try {
            boolean overdue =
                    still(Seen.IDLE) && looksAgainSoon() && outlook != null && outlook.timerOverdue(time.now());
            if (overdue) {
                moveTo(time.now().plus(MOMENT));
            }
            return overdue;
        } finally {
            moving.unlock();
        }
    }

    private boolean looksAgainSoon() {
        lock.lock();
        try {
            return slots.stream().anyMatch(slot -> slot.sleep.compareTo(MOMENT) <= 0);
        } finally {
            lock.unlock();
        }
    }

    private boolean mayMove(Seen seen, Optional<Instant> due, @Nullable Instant deadline) {
        return deadline != null
                || (due.isPresent() && (seen == Seen.IDLE || (outlook != null && outlook.timerAfter(time.now()))));
    }

    private boolean still(Seen seen) {
        lock.lock();
        try {
            return stepsAreIdle() && (seen == Seen.IDLE ? !bodyWatch.anyRun() || bodiesGivenUp : bodyWatch.stand());
        } finally {
            lock.unlock();
        }
    }

    private void refuseFailingForEver() {
        List<String> failing = outlook == null ? List.of() : outlook.failForEver();
        if (!failing.isEmpty()) {
            throw new IllegalStateException(
                    "the test waits while an activity fails again and again, and its policy sets no"
                            + " limit:\n  " + String.join("\n  ", failing)
                            + "\nLet the activity of the test succeed at some time, give it a policy with maxAttempts, or move time"
                            + " with engine.advance(…) and look, instead of waiting for a result.");
        }
    }

    private void refuseNever() {
        List<String> unserved = quietFor(LOOK_AGAIN_NANOS) && outlook != null ? outlook.unserved() : List.of();
        if (!unserved.isEmpty()) {
            throw new IllegalStateException(
                    "the test waits for something that will never come: nothing is running, nothing"
                            + " is due at any time, and nobody here serves\n  " + String.join("\n  ", unserved));
        }
        if (quietFor(PATIENCE_NANOS)) {
            throw new IllegalStateException(
                    "the test waits for something that will never come: nothing is running,"
                            + " nothing is due at any time, and nobody sent anything for "
                            + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                            + " seconds. A workflow may wait for a signal that no one sends, or for an activity that somebody was to"
                            + " complete; an activity or job may be a dead letter (client.deadLetters()) or an incident"
                            + " (client.incidents()), which waits for an operator; a run, an activity or a queue may be paused.");
        }
    }

    /**
     * Moves time while the thread that asked is seen to wait for a future: for this one, or for one that is made of it.
     * Whatever else it does, time is the test's.
     */
    @Override
    public void promised(CompletableFuture<?> result) {
        Thread asker = Thread.currentThread();
        var unused = result.whenComplete((value, error) -> locked(() -> lastPromiseKept = System.nanoTime()));
        Thread.ofPlatform().daemon().name("durable-time").start(() -> {
            try {
                moveWhileWaitedFor(result, asker);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
    }

    private void moveWhileWaitedFor(CompletableFuture<?> result, Thread asker) throws InterruptedException {
        int moves = 0;
        while (!result.isDone() && !isStopped()) {
            Seen seen = waitsForFuture(asker) ? caughtUp(result) : Seen.DONE;
            if (seen != Seen.DONE && waitsForFuture(asker) && callbacksHaveRun()) {
                if (++moves % MANY_MOVES == 0) {
                    refuseFailingForEver();
                }
                goOn(result, seen, null);
            } else {
                Thread.sleep(LOOK_AT_ASKER_MILLIS);
            }
        }
    }

    private static boolean waitsForFuture(Thread asker) {
        return switch (asker.getState()) {
            case WAITING, TIMED_WAITING ->
                Arrays.stream(asker.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(CompletableFuture.class.getName()));
            default -> false;
        };
    }

    private boolean callbacksHaveRun() {
        lock.lock();
        try {
            return System.nanoTime() - lastPromiseKept >= CALLBACKS_NANOS;
        } finally {
            lock.unlock();
        }
    }

    private boolean isStopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stalled(RunKey run, String why) {
        locked(() -> {
            stalledRuns.add(run.runId());
            stalls.add(new WorkflowStalledException(run.workflowId(), why));
        });
    }

    /** Whether the run has ever stalled: its history need not replay. */
    boolean hasStalled(UUID runId) {
        lock.lock();
        try {
            return stalledRuns.contains(runId);
        } finally {
            lock.unlock();
        }
    }

    /** Tells of the first stall that nobody was told of. */
    void refuseStalled() {
        lock.lock();
        try {
            if (!stalls.isEmpty()) {
                // With the stack of who waits, not of the pump.
                WorkflowStalledException stalled = stalls.remove();
                stalled.fillInStackTrace();
                stalls.forEach(stalled::addSuppressed);
                stalls.clear();
                throw stalled;
            }
        } finally {
            lock.unlock();
        }
    }

    /** A body may wait for what the caller does next, or for time to move: it is given a moment, and not waited for. */
    @Override
    public void breathe() {
        lock.lock();
        try {
            if (bodyWatch.anyRun()) {
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
        locked(bodyWatch::watchAnew);
        Seen seen = idleOrStanding();
        while (seen == Seen.BODIES_STAND) {
            seen = idleOrStanding();
        }
        if (seen == Seen.BODIES_HANG) {
            throw hanging("the test waits with " + STILL_RUNNING, " They do nothing", "");
        }
    }

    /** Or until those that run do nothing. */
    private Seen idleOrStanding() {
        try {
            return caughtUp(new CompletableFuture<>());
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
            bodyWatch.watchEnd();
            while (!idle()) {
                bodyWatch.look();
                if (bodyWatch.hang()) {
                    IllegalStateException stuck = hanging(
                            "the test is over with " + STILL_RUNNING,
                            "",
                            ". It is interrupted now; histories are not replayed");
                    giveUpBodies();
                    throw stuck;
                }
                awaitChange();
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

    private IllegalStateException hanging(String what, String since, String then) {
        IllegalStateException stuck = new IllegalStateException(what + "." + (since.isEmpty() ? "" : since + ".")
                + " A body may wait for what the test did not come to do, or for time to move"
                + " (engine.advanceWhileRunning)" + then);
        lock.lock();
        try {
            bodyWatch.places().forEach(stuck::addSuppressed);
        } finally {
            lock.unlock();
        }
        return stuck;
    }

    /** So that the engine can be closed, also where one ignores its interrupt. */
    private void giveUpBodies() {
        bodiesGivenUp = true;
        bodyWatch.interrupt();
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
            return bodyWatch.anyRun();
        } finally {
            lock.unlock();
        }
    }

    /** Moves time, stopping at everything that is due on the way; also while bodies run that do nothing. */
    void advance(Duration by) {
        Instant target = time.now().plus(by);
        locked(bodyWatch::watchAnew);
        idleOrStanding();
        while (time.now().isBefore(target)) {
            moveTo(time.nextDue(looked).filter(next -> next.isBefore(target)).orElse(target));
            idleOrStanding();
        }
    }

    /** Moves time at once, whoever is at work. */
    void jump(Duration by) {
        moveTo(time.now().plus(by));
    }

    /** Where that time has come by itself meanwhile, all look at what is due now. */
    private void moveTo(Instant instant) {
        time.advanceTo(instant);
        looked = time.now();
        locked(() -> {
            lastWake = System.nanoTime();
            bodyWatch.timeMoved();
            slots.forEach(slot -> slot.woken = true);
        });
    }

    /** Waits until the future is done, or until the pump is idle or only kept from it by bodies that do nothing. */
    private Seen idleOrDone(CompletableFuture<?> future) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                if (future.isDone()) {
                    refuseBroken();
                    return Seen.DONE;
                }
                if (stepsAreIdle()) {
                    refuseBroken();
                    refuseStalled();
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

    /** For a change of the pump; of what bodies do nobody tells. */
    @SuppressWarnings("WaitNotInLoop") // its callers loop
    private void awaitChange() throws InterruptedException {
        if (bodyWatch.anyRun()) {
            changed.awaitNanos(BodyWatch.LOOK_NANOS);
        } else {
            changed.await();
        }
    }

    /** In real time: whether neither a step nor another thread of the test has done anything for so long. */
    private boolean quietFor(long nanos) {
        lock.lock();
        try {
            return System.nanoTime() - lastWake > nanos;
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
        return broken != null || ((!bodyWatch.anyRun() || bodiesGivenUp) && stepsAreIdle());
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
                // On a store whose time runs on, the deadlines of a body that hangs come without anybody moving time.
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
        private Duration sleep = Step.UNTIL_WOKEN;

        Slot(Step step) {
            this.step = step;
        }
    }
}
