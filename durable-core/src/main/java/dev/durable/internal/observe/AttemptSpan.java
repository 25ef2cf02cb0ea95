package dev.durable.internal.observe;

import dev.durable.history.TimeoutType;
import dev.durable.observe.ActivityAttemptBegin;
import dev.durable.observe.ActivityAttemptEnd;
import dev.durable.store.ClaimedJob;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One attempt of an activity, as observers and the flight recorder see it. Only its first end counts. */
public final class AttemptSpan {
    public static final AttemptSpan NONE = new AttemptSpan(null, null, false);

    private final @Nullable Telemetry telemetry;
    private final @Nullable ClaimedJob job;
    private final boolean local;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable Begun begun;

    private record Begun(long nanos, @Nullable ActivityAttemptEvent event) {}

    AttemptSpan(@Nullable Telemetry telemetry, @Nullable ClaimedJob job, boolean local) {
        this.telemetry = telemetry;
        this.job = job;
        this.local = local;
    }

    /** Begins the measured time, as the body begins. */
    public void begins() {
        if (telemetry == null || job == null) {
            return;
        }
        begun = new Begun(telemetry.clock().nanoTime(), FlightRecording.THERE ? ActivityAttemptEvent.begun() : null);
        telemetry
                .observer()
                .attemptBegun(new ActivityAttemptBegin(
                        job.activity(),
                        job.route().taskQueue(),
                        job.route().workflowType(),
                        job.key().run().workflowId(),
                        job.key().run().runId(),
                        job.attempt(),
                        local,
                        telemetry.since(job.deadlines().scheduledAt())));
    }

    /** Ends the span of an attempt without a failure. */
    public void ended(ActivityAttemptEnd.Outcome outcome) {
        ended(outcome, null, () -> null);
    }

    /**
     * Ends the span.
     *
     * @param timeout the timeout that the attempt ran out of; null where none
     * @param fingerprint the fingerprint of its failure, computed only where an observer or a recording takes it
     */
    public void ended(
            ActivityAttemptEnd.Outcome outcome, @Nullable TimeoutType timeout, Supplier<@Nullable String> fingerprint) {
        if (telemetry == null || job == null || ended.getAndSet(true)) {
            return;
        }
        Begun began = begun;
        if (began != null && began.event() != null) {
            record(began.event(), job, outcome);
        }
        if (!telemetry.isObserved()) {
            return;
        }
        telemetry
                .observer()
                .attemptEnded(new ActivityAttemptEnd(
                        job.activity(),
                        job.route().taskQueue(),
                        job.route().workflowType(),
                        job.key().run().workflowId(),
                        job.key().run().runId(),
                        job.key().seq(),
                        job.attempt(),
                        local,
                        outcome,
                        timeout,
                        fingerprint.get(),
                        began == null
                                ? null
                                : Duration.ofNanos(telemetry.clock().nanoTime() - began.nanos())));
    }

    private void record(ActivityAttemptEvent event, ClaimedJob of, ActivityAttemptEnd.Outcome outcome) {
        if (event.endsFor(of.route().workflowType(), of.key().run())) {
            event.activity = of.activity();
            event.taskQueue = of.route().taskQueue();
            event.seq = of.key().seq();
            event.attempt = of.attempt();
            event.local = local;
            event.outcome = outcome.name();
            event.commit();
        }
    }
}
