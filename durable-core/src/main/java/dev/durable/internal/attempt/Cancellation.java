package dev.durable.internal.attempt;

import dev.durable.CancelledException;
import dev.durable.DurableException;
import dev.durable.StaleAttemptException;
import dev.durable.internal.intercept.ThreadState;
import dev.durable.internal.text.Thrown;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one attempt of an activity that says whether and why it should stop, with the actions that its body has
 * registered for that ({@code onCancel}). Causes only become more severe: none, shutdown, requested by the workflow,
 * stale. The registered actions run once, on an executor of the queue, never on a loop of the worker.
 */
public final class Cancellation {
    private static final Logger log = LoggerFactory.getLogger(Cancellation.class);

    public enum Cause {
        NONE,
        /** This worker shuts down; another worker will resume from the last heartbeat details. */
        SHUTDOWN,
        /** The workflow cancelled the activity. */
        REQUESTED,
        /** The attempt is not the current one any more, so its result will be dropped. */
        STALE
    }

    private final Executor executor;
    private final UnaryOperator<Throwable> loggable;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Runnable> actions = new ArrayList<>();
    private volatile Reason reason = new Reason(Cause.NONE, "");

    private record Reason(Cause cause, String message) {}

    /**
     * @param executor runs the actions that the body registered
     * @param loggable removes what must not be logged from an exception of such an action
     */
    public Cancellation(Executor executor, UnaryOperator<Throwable> loggable) {
        this.executor = executor;
        this.loggable = loggable;
    }

    Cause cause() {
        return reason.cause();
    }

    boolean requested() {
        return cause() != Cause.NONE;
    }

    /** Requests cancellation for this cause, unless it was requested before for this cause or a more severe one. */
    public void request(Cause cause, String message) {
        if (worsen(cause, message)) {
            takeActions().forEach(this::runElsewhere);
        }
    }

    /** Ends the attempt: calls on its context fail as stale from now on. */
    void ended(String message) {
        worsen(Cause.STALE, message);
        takeActions();
    }

    void check() {
        Reason current = reason;
        DurableException stop =
                switch (current.cause()) {
                    case NONE -> null;
                    case SHUTDOWN, REQUESTED -> new CancelledException(current.message());
                    case STALE -> new StaleAttemptException(current.message());
                };
        if (stop != null) {
            throw stop;
        }
    }

    /** Returns why the attempt is stale; null where it is not. */
    @Nullable
    String staleBecause() {
        Reason current = reason;
        return current.cause() == Cause.STALE ? current.message() : null;
    }

    void checkStale() {
        if (cause() == Cause.STALE) {
            check();
        }
    }

    /** Runs the action when cancellation is requested; on the calling thread if it has been already. */
    public void onCancel(Runnable action) {
        if (!registered(action)) {
            ThreadState.keeping(action);
        }
    }

    private boolean registered(Runnable action) {
        lock.lock();
        try {
            return !requested() && actions.add(action);
        } finally {
            lock.unlock();
        }
    }

    private boolean worsen(Cause cause, String message) {
        lock.lock();
        try {
            boolean worse = cause.compareTo(reason.cause()) > 0;
            if (worse) {
                reason = new Reason(cause, message);
            }
            return worse;
        } finally {
            lock.unlock();
        }
    }

    private List<Runnable> takeActions() {
        lock.lock();
        try {
            List<Runnable> taken = List.copyOf(actions);
            actions.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private void runElsewhere(Runnable action) {
        try {
            executor.execute(() -> runLogged(action));
        } catch (RejectedExecutionException e) {
            log.warn("a cancel action was not run: the worker has shut down");
        }
    }

    private void runLogged(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            Thrown.quietly(() -> log.warn("a cancel action of an activity failed", loggable.apply(e)));
        }
    }
}
