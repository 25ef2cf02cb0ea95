package dev.durable.micrometer;

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
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Makes the meters of one engine: {@code DurableEngine.builder(store).observe(DurableMetrics.of(registry)).start()}. {@link
 * DurableMeter} lists them. Several engines of a process have one each, which a tag of the application distinguishes.
 */
public final class DurableMetrics implements EngineObserver {
    /** Failures are counted by so many fingerprints; what fails otherwise is counted together. */
    private static final int FINGERPRINTS = 100;

    private final MeterRegistry registry;
    private final Tags common;
    private final WorkflowMeters workflows;
    private final ActivityMeters activities;
    private final EngineRoomMeters engineRoom;
    private final QueueGauges queues;
    private final boolean firstOnly;
    /** True once an engine has these meters; shared with {@link #ofFirstEngine}. */
    private final AtomicBoolean bound;

    private volatile @Nullable EngineGauges gauges;

    private DurableMetrics(MeterRegistry registry, Tags common, boolean firstOnly, AtomicBoolean bound) {
        this.firstOnly = firstOnly;
        this.bound = bound;
        this.registry = registry;
        this.common = common;
        this.workflows = new WorkflowMeters(registry, common);
        this.activities = new ActivityMeters(registry, common, FINGERPRINTS);
        this.engineRoom = new EngineRoomMeters(registry, common);
        this.queues = new QueueGauges(registry, common);
    }

    /** Meters in this registry. */
    public static DurableMetrics of(MeterRegistry registry) {
        return of(registry, Tags.empty());
    }

    /**
     * Meters in this registry, with these tags on all of them, such as the schema where a process has several engines.
     */
    public static DurableMetrics of(MeterRegistry registry, Iterable<? extends Tag> common) {
        return new DurableMetrics(registry, Tags.of(common), false, new AtomicBoolean());
    }

    /**
     * Copies these meters as an observer that may be given to several engines: it measures the one that starts first,
     * as long as that is open. An engine that has these meters already is not measured twice.
     */
    public DurableMetrics ofFirstEngine() {
        return new DurableMetrics(registry, common, true, bound);
    }

    @Override
    public boolean takes(DurableEngine engine) {
        return !firstOnly || bound.compareAndSet(false, true);
    }

    /** @throws IllegalStateException where it belongs to another engine that is not closed */
    @Override
    public void engineStarted(DurableEngine engine) {
        if (!firstOnly && bound.getAndSet(true)) {
            throw new IllegalStateException(
                    "these meters belong to another engine already, and one that shares them would"
                            + " hide its gauges. Give each engine its own: DurableMetrics.of(registry, Tags.of(\"engine\", name)).");
        }
        workflows.know(engine.names());
        activities.know(engine.names());
        queues.know(engine.names());
        try {
            gauges = EngineGauges.of(registry, common, engine);
        } catch (RuntimeException | Error e) {
            bound.set(false);
            throw e;
        }
        queues.open();
    }

    @Override
    public void engineClosed() {
        EngineGauges open = gauges;
        if (open != null) {
            open.close();
            gauges = null;
        }
        queues.close();
        bound.set(false);
    }

    @Override
    public void workflowStarted(WorkflowStart start) {
        workflows.started(start);
    }

    @Override
    public void workflowClosed(WorkflowClose close) {
        if (!close.retried()) {
            workflows.closed(close);
        }
    }

    @Override
    public void transitionWritten(TransitionWrite transition) {
        workflows.written(transition);
    }

    @Override
    public void runReplayed(RunReplay replay) {
        workflows.replayed(replay);
    }

    @Override
    public void runFoundInMemory(String workflowType) {
        workflows.foundInMemory();
    }

    @Override
    public void runEvicted() {
        workflows.evicted();
    }

    @Override
    public void runStalled(RunStall stall) {
        workflows.stalled(stall.workflowType());
    }

    @Override
    public void timerFired(String workflowType, Duration late) {
        workflows.timerFired(workflowType, late);
    }

    @Override
    public void attemptBegun(ActivityAttemptBegin begin) {
        activities.begun(begin);
    }

    @Override
    public void attemptEnded(ActivityAttemptEnd end) {
        activities.ended(end);
    }

    @Override
    public void heartbeatsWritten(int count) {
        activities.heartbeats(count);
    }

    @Override
    public void staleRefused(Stale what) {
        activities.stale(what);
    }

    @Override
    public void waitingJobsTimedOut(int count) {
        activities.waitingTimedOut(count);
    }

    @Override
    public void batchWritten(BatchWrite batch) {
        engineRoom.written(batch);
    }

    @Override
    public void claimAnswered(ClaimAnswer claim) {
        engineRoom.claimed(claim);
    }

    @Override
    public void claimSkipped(String pool, Skipped why) {
        engineRoom.skipped(pool, why);
    }

    @Override
    public void nudgeHeard(Nudge nudge) {
        engineRoom.heard(nudge);
    }

    @Override
    public void choreDone(ChoreRun chore) {
        engineRoom.done(chore);
        EngineGauges open = gauges;
        if (open != null) {
            open.choreRan(chore.chore());
        }
    }

    @Override
    public void ownSessionLost(UUID session) {
        engineRoom.lost();
    }

    @Override
    public void sessionDeclaredDead(UUID session) {
        engineRoom.declaredDead();
    }

    @Override
    public void crashedJobsRequeued(int count) {
        engineRoom.requeued(count);
    }

    @Override
    public void outboxRelayed(int delivered, int refused) {
        engineRoom.relayed(delivered, refused);
    }

    @Override
    public boolean wantsQueueSamples() {
        return true;
    }

    @Override
    public void queuesSampled(QueueSample sample) {
        queues.show(sample);
    }

    @Override
    public void queuesLeftToOthers() {
        queues.hide();
    }
}
