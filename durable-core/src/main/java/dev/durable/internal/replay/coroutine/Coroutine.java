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
    /** How often a dying coroutine may call before it is taken for a loop that swallows every Throwable. */
    private static final int MAX_CALLS_AFTER_DEATH = 1_000;

    /** Its part of the randomness; never reused in a run. */
    public final int number;

    /** {@code run}, {@code signal approve}, {@code async 3}, {@code undo}. */
    public final String name;

    /** What it returns or throws. */
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
     * @param home the scope it is started in
     * @param shielded whether it is started in {@code detached}
     * @param main what its thread does, to the hand-over at its end
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

    /** What the thread of a coroutine does. */
    @FunctionalInterface
    interface CoroutineMain {
        void run(Coroutine self);
    }

    // ── the baton ───────────────────────────────────────────────────────────────────────────────────────────────────

    /** Gives it the baton: from here on the caller touches nothing of the run. */
    void resume() {
        if (thread == null) {
            thread = dispatcher.threads().create(main);
            thread.start();
        } else {
            hasBaton = true;
            LockSupport.unpark(thread);
        }
    }

    /** Sleeps until it is given the baton. On its own thread. */
    void park() {
        while (!hasBaton) {
            LockSupport.park(this);
            // A flag left set would make every park return at once: millions of turns of this loop.
            Thread.interrupted();
        }
        hasBaton = false;
        dispatcher.heldBy(Thread.currentThread());
    }

    /** Its thread, once it was started. */
    @Nullable
    public Thread thread() {
        return thread;
    }

    // ── waiting ─────────────────────────────────────────────────────────────────────────────────────────────────────

    /** What it waits for; null while it does not. */
    @Nullable
    public CoroutineWait waiter() {
        return waiter;
    }

    void waitsFor(@Nullable CoroutineWait wait) {
        this.waiter = wait;
    }

    // ── cancelling ──────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * In creation order what it has open, then its own wait; so what it started cleans up before it does. One that has not
     * begun never does, but for a handler: its message was accepted, so it may still change state. A wait for the outcome of
     * activities that were asked to cancel goes on, where their options say so.
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

    /** A handler that starts after the run has ended: it may change state, nothing else, not even in {@code detached}. */
    public void bornCancelled(String why) {
        cancelled = why;
        late = true;
    }

    /** Why its waits and commands are refused; null where they are not. */
    @Nullable
    public String refusal() {
        return cancelled != null && !isShielded() ? cancelled : null;
    }

    public boolean isCancelled() {
        return cancelled != null;
    }

    /** Counts that its code got an exception about its cancellation. Returns how often it had before. */
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

    // ── the rest ────────────────────────────────────────────────────────────────────────────────────────────────────

    public Scope scope() {
        return scope;
    }

    /** Counts its draws of randomness, from 0. */
    public long nextDraw() {
        return draws++;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Its body is over, or never begins. */
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

    /** Counts a call it makes although its run is dead here; true when it will never stop. */
    boolean refusesToDie() {
        return ++callsAfterDeath > MAX_CALLS_AFTER_DEATH;
    }
}
