package dev.durable.replay;

import dev.durable.CancelledException;
import dev.durable.WaitTimedOutException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The waits: each looks first, and a wait that is satisfied is none. */
final class Waiting {
    private final Dispatcher dispatcher;
    private final Restrictions restrictions;
    private final Journal journal;
    private final OpenWork work;

    Waiting(Dispatcher dispatcher, Restrictions restrictions, Journal journal, OpenWork work) {
        this.dispatcher = dispatcher;
        this.restrictions = restrictions;
        this.journal = journal;
        this.work = work;
    }

    /** The running coroutine, which may command now. */
    Coroutine mayCommand(String call) {
        dispatcher.checkAlive();
        restrictions.check(call);
        Coroutine self = dispatcher.running();
        String refusal = self.refusal();
        if (refusal != null) {
            throw new CancelledException(call + " was refused: " + refusal);
        }
        return self;
    }

    void sleep(Duration duration) {
        if (isNoWait(duration)) {
            return;
        }
        OpenTimer timer = work.start(mayCommand("Durable.sleep"), duration);
        until("Durable.sleep", WaitingFor.promise(timer.promise));
        timer.promise.valueOrUnchecked();
    }

    void forPromise(DurablePromise<?> promise) {
        promise.observe();
        if (!promise.isSettled()) {
            until("Promise.get", WaitingFor.promise(promise));
        }
    }

    void forPromise(DurablePromise<?> promise, Duration timeout) {
        promise.observe();
        if (!promise.isSettled() && !isNoWait(timeout)) {
            OpenTimer timer = work.start(mayCommand("Promise.get"), timeout);
            try {
                until("Promise.get", WaitingFor.either(promise, timer.promise));
                if (!promise.isSettled()) {
                    isOver(timer);
                }
            } finally {
                timer.cancel("the wait is over");
            }
        }
        if (!promise.isSettled()) {
            throw new WaitTimedOutException(promise + " did not settle within " + timeout);
        }
    }

    void forCondition(BooleanSupplier condition) {
        if (!holds(condition)) {
            until("Durable.await", WaitingFor.condition(condition));
        }
    }

    boolean forCondition(BooleanSupplier condition, Duration timeout) {
        if (holds(condition)) {
            return true;
        }
        if (isNoWait(timeout)) {
            return false;
        }
        OpenTimer timer = work.start(mayCommand("Durable.await"), timeout);
        try {
            until("Durable.await", WaitingFor.either(condition, timer.promise));
            return holds(condition) || isOver(timer);
        } finally {
            timer.cancel("the wait is over");
        }
    }

    /**
     * The time is up. Unless it was cancelled with all else that its coroutine has open: a timer is settled by that too.
     *
     * @return false
     */
    private static boolean isOver(OpenTimer timer) {
        timer.promise.valueOrUnchecked();
        return false;
    }

    /** Blocks the running coroutine until the wait is over. */
    void until(String call, WaitingFor what) {
        Coroutine self = mayCommand(call);
        if (what.condition() != null && dispatcher.conditions().size() >= Conditions.MAX_OPEN) {
            throw new IllegalStateException("More than " + Conditions.MAX_OPEN + " conditions wait in one run; each is"
                    + " evaluated after every step. Wait for promises instead, or for one condition over all of them.");
        }
        Waiter waiter = new Waiter(self, what, journal.now(), dispatcher);
        waiter.begin();
        dispatcher.block(self);
        if (dispatcher.death() != null) {
            throw Eviction.INSTANCE;
        }
        waiter.throwFailure();
    }

    private boolean holds(BooleanSupplier condition) {
        return restrictions.within(Restriction.CONDITION, condition);
    }

    static boolean isNoWait(Duration duration) {
        return duration.isNegative() || duration.isZero();
    }
}
