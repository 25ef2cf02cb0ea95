package dev.durable.internal.replay.coroutine;

import dev.durable.CancelledException;
import dev.durable.intercept.ContextPropagator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the coroutines of one run and numbers them in the order of the calls that make them. */
public final class Coroutines {
    /** The most coroutines created in one turn before the code is taken for a loop. */
    static final int MAX_PER_TURN = 100_000;

    private final PromiseHost run;
    private final Dispatcher dispatcher;
    private final Runnable bind;
    private final Supplier<ContextPropagator.Scope> context;
    private final Scope roots = new Scope(null);
    private int lastNumber = -1;
    private int inTurn;

    /**
     * @param bind binds the run to the thread that calls it
     * @param context binds the run's context to the thread that calls it
     */
    public Coroutines(
            PromiseHost run, Dispatcher dispatcher, Runnable bind, Supplier<ContextPropagator.Scope> context) {
        this.context = context;
        this.run = run;
        this.bind = bind;
        this.dispatcher = dispatcher;
    }

    public void beginTurn() {
        inTurn = 0;
    }

    /**
     * Creates a coroutine that an event starts: the run, a handler, the undo. Its body handles the exceptions of the
     * code, and no code waits for its outcome: an exception that leaves it all the same stalls the run.
     */
    public <T extends @Nullable Object> Coroutine root(String name, CheckedTask<T> body) {
        DurablePromise<T> promise = new DurablePromise<>(run);
        promise.observe();
        return create(++lastNumber, name, roots, false, promise, () -> {
            try {
                return body.run();
            } catch (Throwable e) {
                dispatcher.die(e);
                throw e;
            }
        });
    }

    /** Creates a coroutine that the running one starts. */
    public <T extends @Nullable Object> Coroutine child(
            Coroutine by, String kind, DurablePromise<T> promise, CheckedTask<T> body) {
        if (++inTurn > MAX_PER_TURN) {
            dispatcher.die(dispatcher.threads().tooMany("coroutines", MAX_PER_TURN));
            throw Eviction.INSTANCE;
        }
        int number = ++lastNumber;
        return create(number, kind + " " + number, by.scope(), by.isShielded(), promise, body);
    }

    /** Cancels all coroutines that run and are not shielded. */
    public void cancelAll(String why) {
        roots.cancel(why);
    }

    /** Cancels all coroutines but this one that run and are not shielded, and all that this one has under way. */
    public void cancelOthers(Coroutine self, String why) {
        self.scope().cancel(why);
        roots.cancel(why, self);
    }

    private <T extends @Nullable Object> Coroutine create(
            int number, String name, Scope home, boolean shielded, DurablePromise<T> promise, CheckedTask<T> body) {
        Coroutine created =
                new Coroutine(number, name, dispatcher, home, shielded, promise, self -> main(self, promise, body));
        dispatcher.born(created);
        return created;
    }

    private <T extends @Nullable Object> void main(Coroutine self, DurablePromise<T> promise, CheckedTask<T> body) {
        bind.run();
        dispatcher.heldBy(Thread.currentThread());
        PromiseOutcome<T> outcome = outcome(body);
        dispatcher.end(self, () -> settle(promise, outcome));
    }

    private <T extends @Nullable Object> PromiseOutcome<T> outcome(CheckedTask<T> body) {
        try (ContextPropagator.Scope bound = context.get()) {
            return PromiseOutcome.success(body.run());
        } catch (Error e) {
            dispatcher.die(e);
            return PromiseOutcome.failure(e);
        } catch (Throwable e) {
            return PromiseOutcome.failure(e);
        }
    }

    private static <T extends @Nullable Object> void settle(DurablePromise<T> promise, PromiseOutcome<T> outcome) {
        if (outcome.failure() instanceof CancelledException cancelled) {
            promise.cancelled(cancelled);
        } else {
            promise.settle(outcome);
        }
    }
}
