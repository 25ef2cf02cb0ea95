package dev.durable.internal.replay.coroutine;

import dev.durable.internal.replay.match.AsideThreads;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler of the coroutines of one run: decides in a fixed order which coroutine goes on next and passes the
 * {@link Baton} to it. There is no scheduler thread: the coroutine that can't go on runs {@link #next} itself and
 * passes the baton to the coroutine that it finds, or back to the driver when all are blocked; so a step costs one
 * switch, and none where the coroutine that blocks is the next to run.
 *
 * <p>Order (fixed for ever): the first condition that holds, in the order in which the waits began; else first-in
 * first-out. The driver runs no user code: where conditions are open it wakes a coroutine to evaluate them.
 *
 * <p>Messages that are fed together ({@link #handleFirst}) go before that: each handler runs to its first wait while
 * all other coroutines and conditions wait, until the event behind them.
 *
 * <p>In a run that is dead here there is no such order: {@link #next} returns one started coroutine after the other,
 * which unwinds by {@link Eviction} and passes the baton on when it has ended.
 */
public final class Dispatcher {
    /** The most steps of one turn before the code is taken for a loop. */
    static final int MAX_STEPS = 1_000_000;

    /** How long a coroutine that hung may take to unwind once it was interrupted. */
    private static final Duration GRACE = Duration.ofMillis(100);

    private final RunThreads threads;
    private final Conditions conditions;
    private final Baton baton = new Baton();
    private final Deque<Coroutine> ready;
    private final Set<Coroutine> alive = new LinkedHashSet<>();
    private BooleanSupplier whenQuiet = () -> false;
    private BooleanSupplier turns = () -> false;
    private int steps;
    private @Nullable Coroutine first;
    private boolean others = true;
    private final List<Runnable> beforeOthers = new ArrayList<>(0);
    private final AtomicInteger turnsBegun = new AtomicInteger();
    private boolean abandoned;
    private @Nullable Coroutine running;
    private volatile @Nullable Thread holder;
    private volatile @Nullable RuntimeException death;

    Dispatcher(RunThreads threads, Conditions conditions, Deque<Coroutine> ready) {
        this.threads = threads;
        this.conditions = conditions;
        this.ready = ready;
    }

    public static Dispatcher of(RunThreads threads, Restrictions restrictions) {
        return new Dispatcher(threads, new Conditions(restrictions), new ArrayDeque<>());
    }

    /** Creates the dispatcher of a run; tests plant bugs here, to see that they are found. */
    @FunctionalInterface
    public interface Factory {
        Dispatcher create(RunThreads threads, Restrictions restrictions);
    }

    /** Sets the question that is asked when no coroutine is ready; true when it made one ready. */
    public void whenQuiet(BooleanSupplier moreToDo) {
        this.whenQuiet = moreToDo;
    }

    // ── for the driver ──────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Makes turns: begins one, runs the code until all coroutines are blocked, begins the next.
     *
     * @param turns begins the next turn; false where there is none. Called by the driver first, then by the coroutine
     *     that finds all others blocked
     * @param limit how long a turn may take
     * @throws RuntimeException when the run can't go on here; its coroutines have been unwound
     */
    public void drive(BooleanSupplier turns, Duration limit) {
        this.turns = turns;
        if (beginTurn()) {
            Coroutine evaluating = conditions.anyCoroutine();
            lend(evaluating == null ? next() : evaluating, evaluating == null, limit);
        }
        if (death != null) {
            unwind(limit);
            throw death;
        }
    }

    private boolean beginTurn() {
        steps = 0;
        first = null;
        others = true;
        turnsBegun.incrementAndGet();
        try {
            return turns.getAsBoolean();
        } catch (Throwable e) {
            die(e);
            return false;
        }
    }

    /** Ends all coroutines of a run that is dead in this process. */
    public void unwind(Duration limit) {
        if (!abandoned) {
            lend(nextToEvict(), true, limit);
        }
    }

    private void lend(@Nullable Coroutine first, boolean toRun, Duration limit) {
        if (first == null) {
            return;
        }
        running = toRun ? first : null;
        baton.lend();
        first.resume();
        awaitBaton(limit, null);
    }

    /**
     * Runs code that only looks at the state of the run, on a platform thread, while all coroutines wait. The limit of a
     * turn holds for it, too: code that is given up may hold or change the run's objects for ever.
     *
     * @throws StalledException when the code was given up, and the run is dead in this process; or when there is no
     *     thread for it, and the run is as it was
     */
    public <T extends @Nullable Object> T aside(CheckedTask<T> body, Duration limit) throws Throwable {
        AtomicReference<@Nullable PromiseOutcome<T>> outcome = new AtomicReference<>();
        holder = null;
        baton.lend();
        AsideThreads.Call call;
        try {
            call = threads.aside(() -> outcome.set(outcomeOf(body)), () -> {
                // The thread may be another run's from here on.
                holder = null;
                hand(null);
            });
        } catch (StalledException e) {
            baton.takeBack();
            throw e;
        }
        awaitBaton(limit, call);
        if (death != null) {
            unwind(limit);
            throw death;
        }
        return Objects.requireNonNull(outcome.get()).get();
    }

    private <T extends @Nullable Object> PromiseOutcome<T> outcomeOf(CheckedTask<T> body) {
        heldBy(Thread.currentThread());
        try {
            return PromiseOutcome.success(body.run());
        } catch (Throwable e) {
            return PromiseOutcome.failure(e);
        }
    }

    private void awaitBaton(Duration limit, AsideThreads.@Nullable Call aside) {
        Watchdog watch = new Watchdog(threads, () -> holder);
        if (!baton.awaitReturn(limit, turnsBegun::get, watch)) {
            Duration burnt = watch.burnt();
            giveUp(watch.blockedAt(), burnt == null ? limit : burnt, aside);
        }
    }

    /** Gives up on code that does not come to a wait: the run is dead in this process, and its next call throws. */
    private void giveUp(StackTraceElement @Nullable [] blockedAt, Duration limit, AsideThreads.@Nullable Call aside) {
        Thread hung = holder;
        if (aside != null) {
            die(threads.hungAside(hung, blockedAt, limit));
            aside.interrupt();
        } else {
            die(blockedAt == null ? threads.hung(hung, limit) : threads.blocked(blockedAt));
            if (hung != null) {
                hung.interrupt();
            }
        }
        abandoned = !baton.awaitReturn(GRACE, () -> 0, Baton.Watch.NONE) && baton.abandon();
        if (abandoned && aside != null) {
            aside.giveUp();
        } else if (abandoned) {
            threads.noteComputing(hung);
        }
    }

    // ── for coroutines ──────────────────────────────────────────────────────────────────────────────────────────────

    /** Returns the running coroutine; not to be called while the driver has the baton. */
    public Coroutine running() {
        if (running == null) {
            throw new AssertionError("no coroutine has the baton");
        }
        return running;
    }

    /** Has the waiting coroutine run the others until it is the next itself. */
    public void block(Coroutine self) {
        Coroutine next = next();
        while (next != self) {
            hand(next);
            self.park();
            next = running == self ? self : next();
        }
        running = self;
        // Timing decides whether the thread passed a park; it must not decide whether the thread is interrupted.
        Thread.interrupted();
    }

    /** Ends a coroutine as its last action: settles its promise and passes the baton on. */
    void end(Coroutine self, Runnable settle) {
        if (death == null) {
            try {
                self.end();
                settle.run();
            } catch (Throwable e) {
                die(e);
            }
        }
        forget(self);
        hand(next());
    }

    void heldBy(Thread thread) {
        holder = thread;
    }

    /** Throws in a run that is dead here, at each call of the running coroutine. */
    public void checkAlive() {
        if (death == null) {
            return;
        }
        if (running != null && running.refusesToDie()) {
            bury(running);
        }
        throw Eviction.INSTANCE;
    }

    /** Ends the run in this process. The first reason counts. */
    public void die(Throwable reason) {
        if (death == null && !(reason instanceof Eviction)) {
            death = reason instanceof Divergence || reason instanceof StalledException
                    ? (RuntimeException) reason
                    : threads.errorOut(reason);
        }
    }

    @Nullable
    public RuntimeException death() {
        return death;
    }

    // ── messages that are fed together ──────────────────────────────────────────────────────────────────────────────

    /**
     * Lets the handler go before all other coroutines in the turn that begins.
     *
     * @param handler the handler; null where the event has none
     * @param alone whether only the handler runs in this turn
     */
    public void handleFirst(@Nullable Coroutine handler, boolean alone) {
        first = handler;
        others = !alone;
    }

    /**
     * Returns whether handlers of messages that are fed together run, so that the effects of each must wait for the
     * last of them.
     */
    public boolean isHandlingTogether() {
        return !others || !beforeOthers.isEmpty();
    }

    /** Adds an action for when all handlers of messages that are fed together have run to their first wait. */
    public void beforeOthers(Runnable action) {
        beforeOthers.add(action);
    }

    // ── choice of the next coroutine ─────────────────────────────────────────────────────────────────────────────────

    private @Nullable Coroutine next() {
        try {
            while (death == null) {
                Coroutine next = nextInTurn();
                if (next != null || !beginTurn() && death == null) {
                    return next;
                }
            }
        } catch (Throwable e) {
            die(e);
        }
        return nextToEvict();
    }

    private @Nullable Coroutine nextInTurn() {
        Coroutine handler = first;
        first = null;
        if (handler != null || !others) {
            return handler;
        }
        while (!beforeOthers.isEmpty()) {
            beforeOthers.removeFirst().run();
        }
        if (death != null) {
            throw Eviction.INSTANCE;
        }
        do {
            if (++steps > MAX_STEPS) {
                throw threads.tooMany("steps", MAX_STEPS);
            }
            Coroutine next = conditions.firstThatHolds();
            if (next == null) {
                next = pollReady();
            }
            if (next != null) {
                return next;
            }
        } while (whenQuiet.getAsBoolean());
        assert conditionsAreSteady();
        return null;
    }

    private boolean conditionsAreSteady() {
        if (!conditions.noneHolds()) {
            throw threads.unsteadyCondition();
        }
        return true;
    }

    private @Nullable Coroutine pollReady() {
        Coroutine first = ready.poll();
        while (first != null && first.hasEnded()) {
            first = ready.poll();
        }
        return first;
    }

    private @Nullable Coroutine nextToEvict() {
        for (Iterator<Coroutine> left = alive.iterator(); left.hasNext(); ) {
            Coroutine next = left.next();
            if (next.thread() != null) {
                return next;
            }
            left.remove();
        }
        return null;
    }

    private void hand(@Nullable Coroutine next) {
        running = next;
        if (next != null) {
            next.resume();
        } else if (!baton.giveBack()) {
            // The driver gave up on this run: only its coroutines are left to unwind each other.
            Coroutine another = nextToEvict();
            if (another != null) {
                hand(another);
            }
        }
    }

    /**
     * Gives up on a coroutine that swallows every Throwable and calls again: its thread is lost, the others are not.
     */
    private void bury(Coroutine undying) {
        threads.reportUndying(undying);
        forget(undying);
        hand(nextToEvict());
        while (true) {
            LockSupport.park(this);
            Thread.interrupted();
        }
    }

    // ── coroutines alive ─────────────────────────────────────────────────────────────────────────────────────────────

    void born(Coroutine coroutine) {
        alive.add(coroutine);
    }

    void forget(Coroutine coroutine) {
        alive.remove(coroutine);
    }

    public void ready(Coroutine coroutine) {
        ready.add(coroutine);
    }

    /** Returns the coroutines that were created and have not ended, in that order. */
    public List<Coroutine> alive() {
        return List.copyOf(alive);
    }

    /** Returns the promises of the coroutines that were started within this one and have not ended. */
    public List<DurablePromise<?>> aliveWithin(Coroutine ancestor) {
        List<DurablePromise<?>> within = new ArrayList<>();
        for (Coroutine coroutine : alive) {
            if (coroutine.isWithin(ancestor)) {
                within.add(coroutine.promise);
            }
        }
        return within;
    }

    /** Returns whether no other coroutine is alive. */
    public boolean isAlone(Coroutine coroutine) {
        return alive.size() == 1 && alive.contains(coroutine);
    }

    public boolean allEnded() {
        return alive.isEmpty();
    }

    public Conditions conditions() {
        return conditions;
    }

    public RunThreads threads() {
        return threads;
    }
}
