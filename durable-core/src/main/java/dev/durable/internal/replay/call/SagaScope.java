package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.PromiseFailedException;
import dev.durable.Saga;
import dev.durable.SagaBody;
import dev.durable.UsageException;
import dev.durable.VoidBody;
import dev.durable.internal.payload.Unchecked;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.Eviction;
import dev.durable.internal.text.Thrown;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code Durable.saga}: a small {@link RunEnding} for a part of a run.
 *
 * <pre>
 * caller, shielded:   waits for the body ── it returned ──► gives the value
 *                                        └─ it threw, or was cancelled ──► cancels what the body has open
 *                                             ──► waits until that has ended ──► undoes in reverse ──► throws
 * </pre>
 *
 * The body runs on a coroutine of its own, so that all it has started is known and can be ended before anything is
 * undone: an effect that may still happen can't be undone yet. A cancellation of the caller cancels that coroutine, and
 * the outcome of the body is that of the call.
 */
public final class SagaScope implements Saga {
    private static final Logger log = LoggerFactory.getLogger(SagaScope.class);

    private final DurableCalls run;
    private final Deque<VoidBody> undos = new ArrayDeque<>();
    private boolean parallel;
    /** How many calls of {@link #undo} are under way; any coroutine that has this object may make one. */
    private int undoing;
    /** True from the undo after a failure on, and when the scope is over. */
    private boolean over;

    private SagaScope(DurableCalls run) {
        this.run = run;
    }

    public static <T extends @Nullable Object, X extends Exception> T run(SagaBody<T, X> body) throws X {
        return new SagaScope(DurableCalls.current("Durable.saga")).call(body);
    }

    private <T extends @Nullable Object, X extends Exception> T call(SagaBody<T, X> body) throws X {
        DurablePromise<T> inside = run.start("Durable.saga", "saga", () -> body.run(this));
        try {
            return run.detached(() -> {
                try {
                    return inside.join();
                } catch (Exception failure) {
                    undoAfter(failure, (Coroutine) Objects.requireNonNull(inside.source()));
                    throw failure;
                } catch (Throwable error) {
                    throw Unchecked.<RuntimeException>raise(error);
                }
            });
        } catch (Exception failure) {
            throw Unchecked.<X>raise(failure);
        } finally {
            over = true;
        }
    }

    // ── for the body ────────────────────────────────────────────────────────────────────────────────────────────────

    @Override
    public void compensate(VoidBody undo) {
        checkOpen("Saga.compensate");
        undos.push(undo);
    }

    @Override
    public Saga parallel() {
        checkOpen("Saga.parallel");
        parallel = true;
        return this;
    }

    @Override
    public void undo() {
        checkOpen("Saga.undo");
        long undoBegan = run.ending().failingTurn().undoBegins();
        boolean undoes = !undos.isEmpty();
        undoing++;
        List<Exception> failed;
        try {
            failed = run.detached(this::undoAll);
        } finally {
            undoing--;
        }
        if (undoes) {
            run.ending().failingTurn().undoEnds(undoBegan);
        }
        if (!failed.isEmpty()) {
            RuntimeException first = unchecked(failed.getFirst());
            failed.stream().skip(1).forEach(another -> suppress(first, another));
            throw first;
        }
    }

    private void checkOpen(String call) {
        run.change(call);
        if (over || undoing > 0) {
            throw new UsageException(
                    call + " was called while the saga is being undone, or after it. Do in the undo what"
                            + " is to be done; for an undo of the whole run there is Durable.compensate.");
        }
    }

    private static RuntimeException unchecked(Exception failure) {
        return failure instanceof RuntimeException unchecked
                ? unchecked
                : new PromiseFailedException(
                        "an undo of the saga failed: " + Thrown.of(failure).text(), failure);
    }

    // ── the undo ────────────────────────────────────────────────────────────────────────────────────────────────────

    private void undoAfter(Exception failure, Coroutine body) {
        long undoBegan = run.ending().failingTurn().undoBegins();
        boolean hasUndos = stallsBefore(failure);
        body.cancel("the saga has failed");
        List<DurablePromise<?>> open = openIn(body);
        while (!open.isEmpty()) {
            Combinators.waitFor("Durable.saga", open, one -> false);
            open = openIn(body);
        }
        if (!hasUndos) {
            stallsBefore(failure); // shielded work may have registered undos meanwhile
        }
        if (undoing > 0) {
            run.awaitOwn(() -> undoing == 0);
        }
        over = true;
        boolean undoes = !undos.isEmpty();
        undoAll().forEach(failed -> suppress(failure, failed));
        if (undoes) {
            run.ending().failingTurn().undoEnds(undoBegan);
        }
    }

    /** Stalls the run where there is something to undo and the exception stalls it. Returns whether there is something. */
    private boolean stallsBefore(Exception failure) {
        if (!undos.isEmpty() && !(failure instanceof CancelledException)) {
            stallBy(failure);
        }
        return !undos.isEmpty();
    }

    /** Stalls the run where it would stall by the exception, as a mistake of the code must undo nothing. */
    private void stallBy(Exception thrown) {
        if (run.stalls().insteadOfFailing(run.dispatcher().running(), thrown)) {
            throw Eviction.INSTANCE;
        }
    }

    /** Returns the ends of the coroutines, activities and children that the body has started, and ends these children. */
    private List<DurablePromise<?>> openIn(Coroutine body) {
        List<DurablePromise<?>> open = run.dispatcher().aliveWithin(body);
        run.work().activities().stream()
                .filter(activity -> activity.isWithin(body))
                .forEach(activity -> open.add(activity.end()));
        open.addAll(run.children().endWithin(body));
        return open;
    }

    /** Runs all undos; one that fails does not keep the others from running. Returns the failures. */
    private List<Exception> undoAll() {
        List<Exception> failed = new ArrayList<>();
        List<DurablePromise<?>> atOnce = new ArrayList<>();
        while (!undos.isEmpty()) {
            VoidBody undo = undos.pop();
            if (parallel) {
                atOnce.add(run.start("Durable.saga", "undo", () -> {
                    undo.run();
                    return null;
                }));
            } else {
                add(failed, undo);
            }
        }
        atOnce.forEach(undo -> add(failed, () -> join(undo)));
        return failed;
    }

    private void add(List<Exception> failed, VoidBody undo) {
        try {
            undo.run();
        } catch (Exception e) {
            stallBy(e);
            failed.add(e);
            String type = e.getClass().getName();
            run.turnLog().add(() -> log.warn("a compensation of a saga failed by {}; the others still run", type));
        }
    }

    private static void join(DurablePromise<?> undo) throws Exception {
        try {
            undo.join();
        } catch (Throwable e) {
            throw Unchecked.<RuntimeException>raise(e);
        }
    }

    @SuppressWarnings("ReferenceEquality") // an exception that is thrown twice can't be suppressed by itself
    private static void suppress(Exception failure, Exception of) {
        if (failure != of) {
            failure.addSuppressed(of);
        }
    }
}
