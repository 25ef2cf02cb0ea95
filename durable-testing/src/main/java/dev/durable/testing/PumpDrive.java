package dev.durable.testing;

import dev.durable.internal.drive.Drive;
import dev.durable.internal.drive.Step;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunKey;
import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Drives the engine of a test: a {@link StepPump} cranks its steps, on time that stands still meanwhile, and time moves
 * while the test waits.
 *
 * <p>Time may move only when the pump is idle: to what a waiting client asked for at most, and from one due thing to the
 * next, so that order is kept. Sleeps that steps ask for are not slept: after each move of time all steps are cranked.
 * Where bodies run and do nothing, as {@link BodyWatch} sees it, time moves as well, if it is a timer of a workflow that
 * may end the wait.
 *
 * <p>A run that stalls ends what waits, once: it would be tried again for ever.
 */
final class PumpDrive implements Drive {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** The time, in real time, that callbacks of a promised result have to send something. */
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
    private final BodyWatch bodyWatch;
    private final StepPump pump;
    private final long patienceNanos;
    /**
     * Held while it is found that time may move and while it moves, so that two threads do not move it for one reason.
     */
    private final ReentrantLock moving = new ReentrantLock();
    /** Stalls that no wait has reported yet. */
    private final Deque<WorkflowStalledException> stalls = new ArrayDeque<>();

    private final Set<UUID> stalledRuns = new HashSet<>();

    /** Up to when all steps have looked at what is due; on a store whose time runs on it is earlier than now. */
    private volatile Instant looked;

    private @Nullable Outlook outlook;
    private long lastPromiseKept = System.nanoTime() - CALLBACKS_NANOS;

    /**
     * @param patienceWithBodies real time that {@link #awaitEnd} gives bodies of which none begins or ends; a shorter one than
     *     five seconds is given to clients that send nothing, too
     */
    PumpDrive(TestTime time, Duration patienceWithBodies) {
        this.time = time;
        this.patienceNanos = Math.min(PATIENCE_NANOS, patienceWithBodies.toNanos());
        this.looked = time.now();
        this.bodyWatch = new BodyWatch(patienceWithBodies);
        this.pump = new StepPump(bodyWatch);
    }

    /** Sets the outlook on the engines that are driven; to be called before anything waits. */
    void outlook(Outlook engines) {
        this.outlook = engines;
    }

    @Override
    public Runnable add(String name, Kind kind, Step step) {
        return pump.add(step);
    }

    @Override
    public Executor activities(String taskQueue, boolean virtualThreads) {
        return pump.bodies();
    }

    @Override
    public void start() {
        pump.start();
    }

    @Override
    public long nanosSinceProgress() {
        return 0;
    }

    @Override
    public void close() {
        pump.close();
    }

    // ── waiting ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> future, @Nullable Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (timeout != null && timeout.compareTo(Bounds.WAIT) > 0) {
            return await(future, null);
        }
        var unused = future.whenComplete((result, error) -> pump.locked(() -> {}));
        pump.locked(bodyWatch::watchAnew);
        Instant deadline = timeout == null ? Instant.MAX : time.now().plus(timeout);
        int moves = 0;
        int looks = 0;
        for (StepPump.Seen seen = caughtUp(future); seen != StepPump.Seen.DONE; seen = caughtUp(future)) {
            if (timeout != null && seen == StepPump.Seen.IDLE && looks < LAST_LOOKS && nothingIsDueBefore(deadline)) {
                looks++;
                pump.lookAgain();
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
    private void goOn(CompletableFuture<?> future, StepPump.Seen seen, @Nullable Instant deadline)
            throws InterruptedException {
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
        if (seen == StepPump.Seen.BODIES_HANG) {
            throw hanging("the test waits with " + STILL_RUNNING, " They do nothing", "");
        } else if (seen == StepPump.Seen.IDLE) {
            refuseNever();
        }
        if (!future.isDone()) {
            pump.lookAgain();
        }
    }

    /** As {@link StepPump#idleOrDone}, and no timer is due that a step wants to look at a moment later than it is due. */
    private StepPump.Seen caughtUp(CompletableFuture<?> future) throws InterruptedException {
        StepPump.Seen seen = pump.idleOrDone(future, this::refuseStalled);
        while (seen == StepPump.Seen.IDLE && catchUp()) {
            seen = pump.idleOrDone(future, this::refuseStalled);
        }
        return seen;
    }

    private boolean catchUp() {
        moving.lock();
        try {
            boolean overdue = still(StepPump.Seen.IDLE)
                    && pump.looksAgainWithin(MOMENT)
                    && outlook != null
                    && outlook.timerOverdue(time.now());
            if (overdue) {
                moveTo(time.now().plus(MOMENT));
            }
            return overdue;
        } finally {
            moving.unlock();
        }
    }

    private boolean mayMove(StepPump.Seen seen, Optional<Instant> due, @Nullable Instant deadline) {
        return deadline != null
                || (due.isPresent()
                        && (seen == StepPump.Seen.IDLE || (outlook != null && outlook.timerAfter(time.now()))));
    }

    private boolean still(StepPump.Seen seen) {
        return pump.get(
                () -> pump.stepsAreIdle() && (seen == StepPump.Seen.IDLE ? pump.bodiesAreIdle() : bodyWatch.stand()));
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
        List<String> unserved =
                pump.quietFor(StepPump.LOOK_AGAIN_NANOS) && outlook != null ? outlook.unserved() : List.of();
        if (!unserved.isEmpty()) {
            throw new IllegalStateException(
                    "the test waits for something that will never come: nothing is running, nothing"
                            + " is due at any time, and no engine of this test serves\n  "
                            + String.join("\n  ", unserved));
        }
        if (pump.quietFor(patienceNanos)) {
            List<String> waiting = outlook == null ? List.of() : outlook.waiting();
            throw new IllegalStateException("the test waits for something that will never come: nothing is running,"
                    + " nothing is due at any time, and no client has sent anything for "
                    + TimeUnit.NANOSECONDS.toSeconds(patienceNanos)
                    + " seconds. A workflow may wait for a signal that no client sends, or for an activity that the holder of a"
                    + " token was to complete; an activity or job may be a dead letter (client.deadLetters()) or an incident"
                    + " (client.incidents()), which waits for an operator; a run, an activity or a queue may be paused."
                    + (waiting.isEmpty() ? "" : " Open here:\n  " + String.join("\n  ", waiting)));
        }
    }

    /**
     * Moves time while the thread that asked is seen to wait for a future: for this one, or for one that is made of it.
     * While that thread does anything else, only the test moves time.
     */
    @Override
    public void promised(CompletableFuture<?> result) {
        Thread asker = Thread.currentThread();
        var unused = result.whenComplete((value, error) -> pump.locked(() -> lastPromiseKept = System.nanoTime()));
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
        while (!result.isDone() && !pump.isStopped()) {
            StepPump.Seen seen = waitsForFuture(asker) ? caughtUp(result) : StepPump.Seen.DONE;
            if (seen != StepPump.Seen.DONE && waitsForFuture(asker) && callbacksHaveRun()) {
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
        return pump.get(() -> System.nanoTime() - lastPromiseKept >= CALLBACKS_NANOS);
    }

    @Override
    public void stalled(RunKey run, String why) {
        pump.locked(() -> {
            stalledRuns.add(run.runId());
            stalls.add(new WorkflowStalledException(run.workflowId(), why));
        });
    }

    /** Returns whether the run has ever stalled: its history need not replay. */
    boolean hasStalled(UUID runId) {
        return pump.get(() -> stalledRuns.contains(runId));
    }

    /** Throws the first stall that no wait has reported, with the others as suppressed ones. */
    void refuseStalled() {
        WorkflowStalledException stalled = pump.get(stalls::poll);
        if (stalled != null) {
            // With the stack of the thread that waits, not of the pump.
            stalled.fillInStackTrace();
            pump.get(this::takeStalls).forEach(stalled::addSuppressed);
            throw stalled;
        }
    }

    private List<WorkflowStalledException> takeStalls() {
        List<WorkflowStalledException> rest = List.copyOf(stalls);
        stalls.clear();
        return rest;
    }

    /** A body may wait for what the caller does next, or for time to move: it is given a moment, and not waited for. */
    @Override
    public void breathe() {
        try {
            pump.breathe();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until all bodies have ended, too. */
    void awaitIdle() {
        pump.locked(bodyWatch::watchAnew);
        StepPump.Seen seen = idleOrStanding();
        while (seen == StepPump.Seen.BODIES_STAND) {
            seen = idleOrStanding();
        }
        if (seen == StepPump.Seen.BODIES_HANG) {
            throw hanging("the test waits with " + STILL_RUNNING, " They do nothing", "");
        }
    }

    /** Or until those that run do nothing. */
    private StepPump.Seen idleOrStanding() {
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
        boolean idle;
        try {
            idle = pump.awaitEnd();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            IllegalStateException interrupted = interrupted(e);
            pump.giveUpBodies();
            throw interrupted;
        }
        if (!idle) {
            IllegalStateException stuck = hanging(
                    "the test is over with " + STILL_RUNNING,
                    "",
                    ". It is interrupted now; histories are not replayed");
            pump.giveUpBodies();
            throw stuck;
        }
    }

    private IllegalStateException hanging(String what, String since, String then) {
        IllegalStateException stuck = new IllegalStateException(what + "." + (since.isEmpty() ? "" : since + ".")
                + " A body may wait for what the test did not come to do, or for time to move"
                + " (engine.advanceWhileRunning)" + then);
        pump.get(bodyWatch::places).forEach(stuck::addSuppressed);
        return stuck;
    }

    private IllegalStateException interrupted(InterruptedException e) {
        return new IllegalStateException(
                "interrupted while the test engine was waited for"
                        + (pump.get(bodyWatch::anyRun) ? ", with " + STILL_RUNNING : ""),
                e);
    }

    /** Moves time, stopping at everything that is due on the way; also while bodies run that do nothing. */
    void advance(Duration by) {
        Instant target = VirtualClock.later(time.now(), by);
        pump.locked(bodyWatch::watchAnew);
        idleOrStanding();
        while (time.now().isBefore(target)) {
            moveTo(time.nextDue(looked).filter(next -> next.isBefore(target)).orElse(target));
            idleOrStanding();
        }
    }

    /** Moves time at once, whatever bodies and steps are at work. */
    void jump(Duration by) {
        moveTo(VirtualClock.later(time.now(), by));
    }

    /** Where that time has come by itself meanwhile, all look at what is due now. */
    private void moveTo(Instant instant) {
        time.advanceTo(instant);
        looked = time.now();
        pump.timeMoved();
    }
}
