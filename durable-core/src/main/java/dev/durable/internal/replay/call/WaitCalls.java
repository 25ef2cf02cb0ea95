package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.UsageException;
import dev.durable.WaitTimedOutException;
import dev.durable.internal.replay.coroutine.Conditions;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.CoroutineWait;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.replay.coroutine.Eviction;
import dev.durable.internal.replay.coroutine.Restriction;
import dev.durable.internal.replay.coroutine.Restrictions;
import dev.durable.internal.replay.coroutine.WaitCondition;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements the waits of workflow code: {@code sleep}, {@code await}, and waiting for promises. */
final class WaitCalls {
    private static final Logger log = LoggerFactory.getLogger(WaitCalls.class);

    /**
     * The number of refusals of one coroutine that are logged each; one that goes on in a loop is named, not counted.
     */
    private static final int MAX_WARNINGS = 10;

    private final Dispatcher dispatcher;
    private final Restrictions restrictions;
    private final CurrentTurn journal;
    private final OpenWork work;
    private final TurnLog turnLog;

    WaitCalls(Dispatcher dispatcher, Restrictions restrictions, CurrentTurn journal, OpenWork work, TurnLog turnLog) {
        this.dispatcher = dispatcher;
        this.restrictions = restrictions;
        this.journal = journal;
        this.work = work;
        this.turnLog = turnLog;
    }

    /** Returns the running coroutine, if it may give commands now. */
    Coroutine mayCommand(String call) {
        Coroutine self = mayCall(call);
        String refusal = self.refusal();
        if (refusal != null) {
            throw refused(self, call, refusal);
        }
        return self;
    }

    private Coroutine mayCall(String call) {
        dispatcher.checkAlive();
        restrictions.check(call);
        return dispatcher.running();
    }

    /**
     * Returns the exception for a refused call. The first refusal may be how the code learns of its cancellation; calls
     * after that are clean-up.
     */
    private CancelledException refused(Coroutine self, String call, String why) {
        int before = self.hearsOfCancel();
        if (before > 0 && before <= MAX_WARNINGS && !self.isLate() && journal.isLive()) {
            String line = dispatcher.threads().lines().here();
            turnLog.add(() -> log.warn(
                    "{}{} was refused and did not happen: '{}' is cancelled ({}), and its code has heard of that. Put"
                            + " clean-up that must happen into Durable.detached(() -> …); where it is none, let the"
                            + " CancelledException pass.",
                    call,
                    line == null ? "" : " at " + line,
                    self.name,
                    why));
        }
        return new CancelledException(call + " was refused: " + why);
    }

    void sleep(String call, Duration duration) {
        sleep(call, duration, null);
    }

    void sleep(String call, Duration duration, @Nullable String summary) {
        if (isNoWait(duration)) {
            return;
        }
        OpenTimer timer = work.start(mayCommand(call), duration, summary);
        until(call, WaitCondition.promise(timer.promise));
        timer.promise.valueOrUnchecked();
    }

    void forPromise(DurablePromise<?> promise) {
        promise.observe();
        if (!promise.isSettled()) {
            until("Promise.get", WaitCondition.promise(promise));
        }
    }

    void forPromise(DurablePromise<?> promise, Duration timeout) {
        promise.observe();
        if (!promise.isSettled() && !isNoWait(timeout)) {
            OpenTimer timer = work.start(mayCommand("Promise.get"), timeout);
            try {
                until("Promise.get", WaitCondition.either(promise, timer.promise));
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
            until("Durable.await", WaitCondition.condition(condition));
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
            until("Durable.await", WaitCondition.either(condition, timer.promise));
            return holds(condition) || isOver(timer);
        } finally {
            timer.cancel("the wait is over");
        }
    }

    /**
     * Returns false, as the time is up; throws where the timer was cancelled with all other open operations of its
     * coroutine, which settles a timer too.
     *
     * @return false
     */
    private static boolean isOver(OpenTimer timer) {
        timer.promise.valueOrUnchecked();
        return false;
    }

    /** Blocks the running coroutine until the wait is over. */
    void until(String call, WaitCondition what) {
        Coroutine self = mayCall(call);
        String refusal = self.refusal();
        if (refusal != null && (self.isLate() || !what.isForOutcomes())) {
            throw refused(self, call, refusal);
        }
        if (what.condition() != null && dispatcher.conditions().size() >= Conditions.MAX_OPEN) {
            throw new UsageException("More than " + Conditions.MAX_OPEN + " conditions wait in one run; each is"
                    + " evaluated after every step. Wait for promises instead, or for one condition over all of them.");
        }
        CoroutineWait waiter = new CoroutineWait(self, what, journal.now(), dispatcher);
        waiter.begin();
        dispatcher.block(self);
        if (dispatcher.death() != null) {
            throw Eviction.INSTANCE;
        }
        if (self.refusal() != null && waiter.endedByCancel()) {
            self.hearsOfCancel();
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
