package dev.durable.internal.observe;

import dev.durable.observe.RunReplay;
import dev.durable.store.RunKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A replay of a run's history, as observers and the flight recorder see it. */
public final class ReplaySpan {
    static final ReplaySpan NONE = new ReplaySpan(null, null, "", 0, null);

    private final @Nullable Telemetry telemetry;
    private final @Nullable RunKey run;
    private final String workflowType;
    private final long begun;
    private final @Nullable ReplayEvent event;

    ReplaySpan(
            @Nullable Telemetry telemetry,
            @Nullable RunKey run,
            String workflowType,
            long begun,
            @Nullable ReplayEvent event) {
        this.telemetry = telemetry;
        this.run = run;
        this.workflowType = workflowType;
        this.begun = begun;
        this.event = event;
    }

    /** Ends the span, as the run's code has come to the end of its history. */
    public void ended(long events) {
        if (telemetry == null || run == null) {
            return;
        }
        if (event != null && event.endsFor(workflowType, run)) {
            event.events = events;
            event.commit();
        }
        Duration took = Duration.ofNanos(telemetry.clock().nanoTime() - begun);
        telemetry.observer().runReplayed(new RunReplay(workflowType, run.workflowId(), run.runId(), events, took));
    }
}
