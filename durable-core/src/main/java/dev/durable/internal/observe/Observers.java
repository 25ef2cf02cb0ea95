package dev.durable.internal.observe;

import dev.durable.client.DurableEngine;
import dev.durable.observe.ActivityAttemptBegin;
import dev.durable.observe.ActivityAttemptEnd;
import dev.durable.observe.BatchWrite;
import dev.durable.observe.ChoreRun;
import dev.durable.observe.ClaimAnswer;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.QueueSample;
import dev.durable.observe.RunReplay;
import dev.durable.observe.RunStall;
import dev.durable.observe.TransitionWrite;
import dev.durable.observe.WorkflowClose;
import dev.durable.observe.WorkflowStart;
import dev.durable.store.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls several observers, and keeps the exceptions of one of them from the engine and from the others, errors and
 * undeclared checked ones included: they would otherwise fail the batch, the claim or the attempt that is reported.
 */
public final class Observers implements EngineObserver {
    private static final Logger log = LoggerFactory.getLogger(EngineObserver.class);
    private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

    private volatile EngineObserver[] all;
    private final LongSupplier nanoTime;
    private final UnaryOperator<Throwable> loggable;
    private final Tries tries;
    /** The time from when on an exception of an observer may be logged again. */
    private final AtomicLong logFrom;

    private volatile boolean begun;

    private Observers(List<EngineObserver> all, LongSupplier nanoTime, UnaryOperator<Throwable> loggable, Tries tries) {
        this.loggable = loggable;
        this.tries = tries;
        this.all = all.toArray(EngineObserver[]::new);
        this.nanoTime = nanoTime;
        this.logFrom = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Returns an observer that calls all of them; {@link EngineObserver#NONE} where there are none.
     *
     * @param loggable removes what must not be logged from an exception
     * @param tries remembers which observers throw each time
     */
    public static EngineObserver of(
            List<EngineObserver> all, LongSupplier nanoTime, UnaryOperator<Throwable> loggable, Tries tries) {
        return all.isEmpty() ? NONE : new Observers(all, nanoTime, loggable, tries);
    }

    private void tell(Consumer<EngineObserver> event) {
        for (EngineObserver observer : all) {
            try {
                event.accept(observer);
                if (tries.any()) {
                    tries.worked(shown(observer));
                }
            } catch (Throwable e) {
                threw(observer, e);
            }
        }
    }

    private static String shown(EngineObserver observer) {
        return "observer " + observer.getClass().getName();
    }

    private void threw(EngineObserver observer, Throwable thrown) {
        tries.failed(shown(observer), thrown);
        long now = nanoTime.getAsLong();
        long from = logFrom.get();
        if (now - from >= 0 && logFrom.compareAndSet(from, now + QUIET_NANOS)) {
            Thrown.quietly(() -> log.warn(
                    "observer {} threw, and what it was told is lost to it; the engine goes on. Usual cause: a mistake in its"
                            + " code, or libraries that do not fit together. This is logged once a minute.",
                    observer.getClass().getName(),
                    loggable.apply(thrown)));
        }
    }

    @Override
    public void engineStarted(DurableEngine engine) {
        begun = true;
        List<EngineObserver> taking = new ArrayList<>();
        for (EngineObserver observer : all) {
            try {
                if (observer.takes(engine)) {
                    observer.engineStarted(engine);
                    taking.add(observer);
                } else {
                    log.debug(
                            "observer {} belongs to another engine",
                            observer.getClass().getName());
                }
            } catch (Throwable e) {
                Throwable shown = loggable.apply(e);
                Thrown.quietly(() -> log.warn(
                        "observer {} hears nothing of this engine",
                        observer.getClass().getName(),
                        shown));
            }
        }
        all = taking.toArray(EngineObserver[]::new);
    }

    @Override
    public void engineClosed() {
        // An observer of several engines would take the end of an engine that never began for that of another.
        if (begun) {
            tell(EngineObserver::engineClosed);
        }
    }

    @Override
    public void workflowStarted(WorkflowStart start) {
        tell(observer -> observer.workflowStarted(start));
    }

    @Override
    public void workflowClosed(WorkflowClose close) {
        tell(observer -> observer.workflowClosed(close));
    }

    @Override
    public void transitionWritten(TransitionWrite transition) {
        tell(observer -> observer.transitionWritten(transition));
    }

    @Override
    public void runReplayed(RunReplay replay) {
        tell(observer -> observer.runReplayed(replay));
    }

    @Override
    public void runFoundInMemory(String workflowType) {
        tell(observer -> observer.runFoundInMemory(workflowType));
    }

    @Override
    public void runEvicted() {
        tell(EngineObserver::runEvicted);
    }

    @Override
    public void runStalled(RunStall stall) {
        tell(observer -> observer.runStalled(stall));
    }

    @Override
    public void timerFired(String workflowType, Duration late) {
        tell(observer -> observer.timerFired(workflowType, late));
    }

    @Override
    public void attemptBegun(ActivityAttemptBegin begin) {
        tell(observer -> observer.attemptBegun(begin));
    }

    @Override
    public void attemptEnded(ActivityAttemptEnd end) {
        tell(observer -> observer.attemptEnded(end));
    }

    @Override
    public void heartbeatsWritten(int count) {
        tell(observer -> observer.heartbeatsWritten(count));
    }

    @Override
    public void staleRefused(Stale what) {
        tell(observer -> observer.staleRefused(what));
    }

    @Override
    public void waitingJobsTimedOut(int count) {
        tell(observer -> observer.waitingJobsTimedOut(count));
    }

    @Override
    public void batchWritten(BatchWrite batch) {
        tell(observer -> observer.batchWritten(batch));
    }

    @Override
    public void claimAnswered(ClaimAnswer claim) {
        tell(observer -> observer.claimAnswered(claim));
    }

    @Override
    public void claimSkipped(String pool, Skipped why) {
        tell(observer -> observer.claimSkipped(pool, why));
    }

    @Override
    public void nudgeHeard(Nudge nudge) {
        tell(observer -> observer.nudgeHeard(nudge));
    }

    @Override
    public void choreDone(ChoreRun chore) {
        tell(observer -> observer.choreDone(chore));
    }

    @Override
    public void ownSessionLost(UUID session) {
        tell(observer -> observer.ownSessionLost(session));
    }

    @Override
    public void sessionDeclaredDead(UUID session) {
        tell(observer -> observer.sessionDeclaredDead(session));
    }

    @Override
    public void crashedJobsRequeued(int count) {
        tell(observer -> observer.crashedJobsRequeued(count));
    }

    @Override
    public void outboxRelayed(int delivered, int refused) {
        tell(observer -> observer.outboxRelayed(delivered, refused));
    }

    @Override
    public boolean wantsQueueSamples() {
        for (EngineObserver observer : all) {
            try {
                if (observer.wantsQueueSamples()) {
                    return true;
                }
            } catch (Throwable e) {
                threw(observer, e);
            }
        }
        return false;
    }

    @Override
    public void queuesSampled(QueueSample sample) {
        tell(observer -> observer.queuesSampled(sample));
    }

    @Override
    public void queuesLeftToOthers() {
        tell(EngineObserver::queuesLeftToOthers);
    }
}
