package dev.durable.internal.replay.coroutine;

import dev.durable.ActivityFailedException;
import dev.durable.CancelledException;
import dev.durable.ChildFailedException;
import dev.durable.Promise;
import dev.durable.PromiseFailedException;
import dev.durable.internal.payload.Unchecked;
import dev.durable.internal.text.Thrown;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link Promise}: settled once, by an outcome from the history, by a coroutine or, where it is a
 * {@link ManualPromise}, by a call of the code.
 *
 * @param <T> the type of its result
 */
public class DurablePromise<T extends @Nullable Object> implements Promise<T> {
    private final PromiseHost run;
    private @Nullable OpenOperation source;
    private @Nullable PromiseOutcome<T> outcome;
    /** The first listener, which is nearly always the only one; further ones are in the list. */
    private @Nullable SettleListener listener;

    private @Nullable Set<SettleListener> others;
    private long order;
    private boolean observed;

    public DurablePromise(PromiseHost run) {
        this.run = run;
    }

    /** Sets the operation that {@link #cancel} cancels, and from which the promise has its name. */
    public void cancelledBy(OpenOperation source) {
        this.source = source;
    }

    // ── for workflow code ───────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public T get() {
        run.waitFor(this);
        return valueOrUnchecked();
    }

    @Override
    public <X extends Throwable> T get(Class<X> type) throws X {
        run.waitFor(this);
        try {
            return settled().get();
        } catch (Throwable failure) {
            if (type.isInstance(failure)) {
                throw type.cast(failure);
            }
            throw unchecked(failure);
        }
    }

    @Override
    public T get(Duration timeout) {
        run.waitFor(this, timeout);
        return valueOrUnchecked();
    }

    @Override
    public void cancel() {
        run.cancel(this);
    }

    @Override
    public boolean isDone() {
        run.look("Promise.isDone");
        return isSettled();
    }

    @Override
    public <R extends @Nullable Object> Promise<R> then(Then<? super T, ? extends R> next) {
        return run.after(this, "Promise.then", () -> next.apply(outcomeOf(this)));
    }

    @Override
    public <R extends @Nullable Object> Promise<R> handle(Handle<? super T, ? extends R> next) {
        return run.after(this, "Promise.handle", () -> {
            Throwable failure = failureOrNull();
            return failure == null ? next.apply(outcomeOf(this), null) : next.apply(null, failure);
        });
    }

    // ── for the run ─────────────────────────────────────────────────────────────────────────────────────────────────

    /** Returns the result, or throws the failure unchanged, checked or not. */
    public T join() throws Throwable {
        run.waitFor(this);
        return settled().get();
    }

    public T valueOrUnchecked() {
        try {
            return settled().get();
        } catch (Throwable failure) {
            throw unchecked(failure);
        }
    }

    /**
     * Returns the failure as {@code get()} throws it: an unchecked one unchanged. A checked one becomes the cause of an
     * {@link ActivityFailedException} where an activity threw it, or of a {@link ChildFailedException} where a child did, so that one catch covers all of them, else
     * of a {@link PromiseFailedException}.
     */
    private RuntimeException unchecked(Throwable failure) {
        return switch (failure) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default ->
                activityDetails(failure)
                        .<RuntimeException>map(details -> new ActivityFailedException(
                                Thrown.of(details).words(),
                                details.activity(),
                                details.seq(),
                                details.attempt(),
                                details.failure(),
                                failure))
                        .or(() -> ofChild(failure))
                        .orElseGet(() -> new PromiseFailedException(
                                this + " failed: " + Thrown.of(failure).text(), failure));
        };
    }

    private static Optional<RuntimeException> ofChild(Throwable failure) {
        return Thrown.of(failure).suppressed().stream()
                .filter(ChildFailedException.class::isInstance)
                .map(ChildFailedException.class::cast)
                .findFirst()
                .map(details -> new ChildFailedException(
                        Thrown.of(details).words(),
                        details.workflowId(),
                        details.workflowType(),
                        details.status(),
                        details.failure(),
                        failure));
    }

    /**
     * Returns the details of the activity that threw this exception; empty if the code threw it. They are the suppressed
     * one without a cause: an {@link ActivityFailedException} that the code itself gets has one, and may be suppressed by
     * an exception of the code, as the failure of an undo is.
     */
    public static Optional<ActivityFailedException> activityDetails(Throwable failure) {
        return Thrown.of(failure).suppressed().stream()
                .filter(each -> each.getClass() == ActivityFailedException.class
                        && Thrown.of(each).cause() == null)
                .map(ActivityFailedException.class::cast)
                .findFirst();
    }

    public boolean isSettled() {
        return outcome != null;
    }

    public boolean hasFailed() {
        return outcome != null && !outcome.succeeded();
    }

    /** Returns its place in the order in which the promises of this run settled. */
    public long settledAs() {
        return order;
    }

    /** Settles it, unless it has settled before. A failure is noted until code reads it. */
    public void settle(PromiseOutcome<T> how) {
        if (outcome == null && !how.succeeded() && !observed) {
            run.unobserved().add(this);
        }
        settleQuietly(how);
    }

    /** Settles it as cancelled, which no code needs to read. */
    public void cancelled(CancelledException how) {
        settleQuietly(PromiseOutcome.failure(how));
    }

    private void settleQuietly(PromiseOutcome<T> how) {
        if (outcome != null) {
            return;
        }
        outcome = how;
        order = run.nextSettled();
        SettleListener first = listener;
        Set<SettleListener> later = others;
        listener = null;
        others = null; // who is told may stop to listen, which changes nothing any more
        if (first != null) {
            first.settled(this);
        }
        if (later != null) {
            later.forEach(told -> told.settled(this));
        }
    }

    /** Throws where the promise belongs to another run. */
    @SuppressWarnings("ReferenceEquality") // one object for each run
    public void checkOf(PromiseHost other, String call) {
        if (other != run) {
            run.look(call);
        }
    }

    /** Notes that code reads its outcome, so that a failure of it is not worth a warning. */
    public void observe() {
        if (!observed) {
            observed = true;
            if (hasFailed()) {
                run.unobserved().remove(this);
            }
        }
    }

    /** Adds a listener to a promise that has not settled. Each listener is added at most once. */
    public void listen(SettleListener another) {
        if (listener == null && others == null) {
            listener = another;
        } else {
            if (others == null) {
                others = new LinkedHashSet<>(4);
            }
            others.add(another);
        }
    }

    void unlisten(SettleListener another) {
        if (another.equals(listener)) {
            listener = null;
        } else if (others != null) {
            others.remove(another);
        }
    }

    /** Returns the operation whose cancellation cancels it. */
    @Nullable
    public OpenOperation source() {
        return source;
    }

    /** Returns whether it belongs to an activity that was cancelled and stays open until its outcome. */
    boolean outlastsCancel() {
        return outcome == null && source != null && source.outlastsCancel();
    }

    /** Returns whether a cancellation ended it. */
    boolean wasCancelled() {
        return outcome != null && outcome.failure() instanceof CancelledException;
    }

    /** Returns the failure of a promise of which no code has got the outcome; null where it has succeeded. */
    public @Nullable Throwable unreadFailure() {
        try {
            known().get();
            return null;
        } catch (Throwable failure) {
            return failure;
        }
    }

    @Nullable
    public Throwable failureOrNull() {
        try {
            settled().get();
            return null;
        } catch (Throwable failure) {
            return failure;
        }
    }

    /** Returns the outcome for code, which has it from now on. */
    private PromiseOutcome<T> settled() {
        PromiseOutcome<T> known = known();
        if (source != null && !run.isAsked()) {
            source.wasRead();
        }
        return known;
    }

    private PromiseOutcome<T> known() {
        if (outcome == null) {
            throw new AssertionError(this + " has not settled");
        }
        return outcome;
    }

    private static <T extends @Nullable Object> T outcomeOf(DurablePromise<T> promise) throws Exception {
        try {
            return promise.settled().get();
        } catch (Throwable failure) {
            throw Unchecked.<RuntimeException>raise(failure);
        }
    }

    /** Returns the name of a wait for it. */
    String shown() {
        return source == null ? toString() : source.waitedFor();
    }

    @Override
    public String toString() {
        return source == null ? "a promise" : source.toString();
    }
}
