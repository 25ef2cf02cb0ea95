package dev.durable.internal.replay.coroutine;

import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.StalledException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler of the coroutines of one run: decides in a fixed order which coroutine goes on next and passes the
 * {@link Baton} to it. There is no scheduler thread: the coroutine that can't go on runs {@link #next} itself and hands
 * on to whom it finds, or back to the driver when all are blocked; so a step costs one switch, and none where the
 * coroutine that blocks is the next to run.
 *
 * <p>Order (fixed for ever): the first condition that holds, in the order in which the waits began; else first-in
 * first-out. The driver runs no user code: where conditions are open it wakes a coroutine to evaluate them.
 *
 * <p>Messages that are fed together ({@link #handleFirst}) go before that: each handler runs to its first wait while all else
 * waits, conditions too, until the event behind them.
 *
 * <p>A run that is dead here knows no order: {@link #next} gives one started coroutine after the other, which unwinds by
 * {@link Eviction} and hands on to the next when it has ended.
 */
public final class Dispatcher {
    /** Steps in one turn before it is taken for a loop. */
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

    /** How a run gets its dispatcher; tests plant bugs here, to see that they are found. */
    @FunctionalInterface
    public interface Factory {
        Dispatcher create(RunThreads threads, Restrictions restrictions);
    }

    /** What is asked when nothing is ready; true when it made something ready. */
    public void whenQuiet(BooleanSupplier moreToDo) {
        this.whenQuiet = moreToDo;
    }

    // ── for the driver ──────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Makes turns: begins one, runs the code until all of it is blocked, begins the next.
     *
     * @param turns begins the next turn; false where there is none. Asked by the driver first, then by who finds all blocked
     * @param limit how long a turn may take
     * @throws RuntimeException why the run can't go on here; its coroutines have been unwound
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

    /** Ends all coroutines of a run that is dead. */
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
        Watchdog watch = new Watchdog(threads, () -> holder);
        if (!baton.awaitReturn(limit, turnsBegun::get, watch)) {
            Duration burnt = watch.burnt();
            giveUp(watch.blockedAt(), burnt == null ? limit : burnt);
        }
    }

    /** The code does not come to a wait: the run is dead in this process, and its next call throws. */
    private void giveUp(StackTraceElement @Nullable [] blockedAt, Duration limit) {
        Thread hung = holder;
        die(blockedAt == null ? threads.hung(hung, limit) : threads.blocked(blockedAt));
        if (hung != null) {
            hung.interrupt();
        }
        abandoned = !baton.awaitReturn(GRACE, () -> 0, Baton.Watch.NONE) && baton.abandon();
    }

    // ── for coroutines ──────────────────────────────────────────────────────────────────────────────────────────────

    /** Who runs; not to be asked while the driver has the baton. */
    public Coroutine running() {
        if (running == null) {
            throw new AssertionError("no coroutine has the baton");
        }
        return running;
    }

    /** The waiting coroutine runs the others until its own turn comes. */
    public void block(Coroutine self) {
        Coroutine next = next();
        while (next != self) {
            hand(next);
            self.park();
            next = running == self ? self : next();
        }
        running = self;
        // Whether it passed a park depends on timing; whether it is interrupted must not.
        Thread.interrupted();
    }

    /** The last a coroutine does: settles what it leaves and hands on. */
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

    /** The running coroutine calls: in a dead run it gets no further. */
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
     * In the turn that begins, the handler goes before all else.
     *
     * @param handler null where the event has none
     * @param alone whether nothing but it runs in this turn
     */
    public void handleFirst(@Nullable Coroutine handler, boolean alone) {
        first = handler;
        others = !alone;
    }

    /** Whether handlers of messages that are fed together run, so that what they lead to must wait for the last of them. */
    public boolean isHandlingTogether() {
        return !others || !beforeOthers.isEmpty();
    }

    /** To be done when all handlers of messages that are fed together have run to their first wait. */
    public void beforeOthers(Runnable action) {
        beforeOthers.add(action);
    }

    // ── who is next ─────────────────────────────────────────────────────────────────────────────────────────────────

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
            // The driver gave up on this run: nobody but its coroutines is left to unwind them.
            Coroutine another = nextToEvict();
            if (another != null) {
                hand(another);
            }
        }
    }

    /** A coroutine that swallows every Throwable and calls again: its thread is lost, the others are not. */
    private void bury(Coroutine undying) {
        threads.reportUndying(undying);
        forget(undying);
        hand(nextToEvict());
        while (true) {
            LockSupport.park(this);
            Thread.interrupted();
        }
    }

    // ── what lives ──────────────────────────────────────────────────────────────────────────────────────────────────

    void born(Coroutine coroutine) {
        alive.add(coroutine);
    }

    void forget(Coroutine coroutine) {
        alive.remove(coroutine);
    }

    public void ready(Coroutine coroutine) {
        ready.add(coroutine);
    }

    /** Those that were created and have not ended, in that order. */
    public List<Coroutine> alive() {
        return List.copyOf(alive);
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
