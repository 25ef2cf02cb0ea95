package dev.durable.internal.replay.coroutine;

import dev.durable.CancelledException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread that runs workflow code, only while it has the {@link Baton}.
 *
 * <pre>
 * NEW ── started ──► RUNNING ◄──► WAITING
 *  │                    │
 *  └── cancelled ──► ENDED ◄── returned, threw, or was evicted
 * </pre>
 */
public final class Coroutine extends OpenOperation {
    /** The number of calls of an evicted coroutine before it is taken for a loop that swallows every Throwable. */
    private static final int MAX_CALLS_AFTER_DEATH = 1_000;

    /** The number of the coroutine, from which its random draws derive; never reused in a run. */
    public final int number;

    /** The name: {@code run}, {@code signal approve}, {@code async 3}, {@code undo}. */
    public final String name;

    /** The promise of its result or exception. */
    final DurablePromise<?> promise;

    private final Dispatcher dispatcher;
    private final Runnable main;
    private final Scope home;
    private final Scope scope = new Scope(this);
    private final boolean shieldedFromOutside;

    private @Nullable Thread thread;
    private volatile boolean hasBaton;
    private boolean ended;
    private @Nullable CoroutineWait waiter;
    private @Nullable String cancelled;
    private boolean late;
    private int told;
    private int shields;
    private long draws;
    private int callsAfterDeath;

    /**
     * @param home the scope in which it is started
     * @param shielded whether it is started in {@code detached}
     * @param main the code of its thread, to the hand-over at its end
     */
    Coroutine(
            int number,
            String name,
            Dispatcher dispatcher,
            Scope home,
            boolean shielded,
            DurablePromise<?> promise,
            CoroutineMain main) {
        this.number = number;
        this.name = name;
        this.dispatcher = dispatcher;
        this.home = home;
        this.shieldedFromOutside = shielded;
        this.promise = promise;
        this.main = () -> main.run(this);
        promise.cancelledBy(this);
        home.add(this);
    }

    /** The code of a coroutine's thread. */
    @FunctionalInterface
    interface CoroutineMain {
        void run(Coroutine self);
    }

    // ── the baton ───────────────────────────────────────────────────────────────────────────────────────────────────

    /** Gives the coroutine the baton: from here on the caller touches nothing of the run. */
    void resume() {
        if (thread == null) {
            thread = dispatcher.threads().create(main);
            thread.start();
        } else {
            hasBaton = true;
            LockSupport.unpark(thread);
        }
    }

    /** Sleeps until the coroutine is given the baton. Called on its own thread. */
    void park() {
        while (!hasBaton) {
            LockSupport.park(this);
            // A flag that stays set would make every park return at once: millions of iterations of this loop.
            Thread.interrupted();
        }
        hasBaton = false;
        dispatcher.heldBy(Thread.currentThread());
    }

    /** Returns its thread, once it was started. */
    @Nullable
    public Thread thread() {
        return thread;
    }

    // ── waiting ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Returns its wait; null while it does not wait. */
    @Nullable
    public CoroutineWait waiter() {
        return waiter;
    }

    void waitsFor(@Nullable CoroutineWait wait) {
        this.waiter = wait;
    }

    // ── cancellation ─────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Cancels its open operations in the order of their creation, then its own wait; so operations that it started
     * clean up before it does. A coroutine that has not begun never does, except a handler: its message was accepted,
     * so it may still change state. A wait for the outcome of activities that were asked to cancel goes on, where their
     * options say so.
     */
    @Override
    public void cancel(String why) {
        if (ended) {
            scope.cancel(why);
            return;
        }
        if (cancelled == null) {
            cancelled = why;
        }
        if (thread == null && home.ofRun()) {
            late = true;
            return;
        }
        if (thread == null) {
            end();
            promise.cancelled(new CancelledException(why));
            return;
        }
        scope.cancel(why);
        if (waiter != null && !isShielded() && !waiter.what.isForOutcomes()) {
            waiter.cancel(why);
        }
    }

    @Override
    public boolean shielded() {
        return shieldedFromOutside;
    }

    /**
     * Cancels a handler that starts after the run has ended: it may change state and do nothing else, not even in
     * {@code detached}.
     */
    public void bornCancelled(String why) {
        cancelled = why;
        late = true;
    }

    /** Returns why its waits and commands are refused; null where they are not. */
    @Nullable
    public String refusal() {
        return cancelled != null && !isShielded() ? cancelled : null;
    }

    public boolean isCancelled() {
        return cancelled != null;
    }

    /** Counts that its code got an exception about its cancellation; returns how often it had before. */
    public int hearsOfCancel() {
        return told++;
    }

    public boolean isLate() {
        return late;
    }

    public boolean isShielded() {
        return shields > 0 && !late;
    }

    public void shield() {
        shields++;
    }

    public void unshield() {
        shields--;
    }

    // ── other state ──────────────────────────────────────────────────────────────────────────────────────────────────

    public Scope scope() {
        return scope;
    }

    /** Returns whether the coroutine, or one that it has started, and so on, has started this one. */
    boolean isWithin(Coroutine ancestor) {
        return home.isWithin(ancestor);
    }

    /** Returns the number of its next random draw, from 0. */
    public long nextDraw() {
        return draws++;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Ends the coroutine, whose body is over, or never begins. */
    void end() {
        ended = true;
        dispatcher.forget(this);
        leaveIfDone();
    }

    void leaveIfDone() {
        if (ended && scope.isEmpty()) {
            home.remove(this);
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** Counts a call that it makes although its run is dead here; returns true when it will never stop. */
    boolean refusesToDie() {
        return ++callsAfterDeath > MAX_CALLS_AFTER_DEATH;
    }
}
