package dev.durable.internal.observe;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.Failure;
import dev.durable.history.FailureJson;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.TransitionWrite;
import dev.durable.observe.WorkflowClose;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.Transition;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transition of a run from the moment at which it is handed over to its lane, as observers and the flight recorder
 * see it.
 */
public final class TransitionSpan {
    private static final Logger log = LoggerFactory.getLogger(TransitionSpan.class);

    static final TransitionSpan NONE = new TransitionSpan();

    private final @Nullable Telemetry telemetry;
    private final @Nullable Transition transition;
    private final OfRun run;
    private final long begun;
    private final @Nullable TransitionEvent event;

    /**
     * The run of the transition.
     *
     * @param headers the headers of its start
     */
    record OfRun(String workflowType, Map<String, String> headers) {
        @Override
        public String toString() {
            return "OfRun[" + workflowType + "]";
        }
    }

    private TransitionSpan() {
        this(null, null, new OfRun("", Map.of()), 0, null);
    }

    TransitionSpan(
            @Nullable Telemetry telemetry,
            @Nullable Transition transition,
            OfRun run,
            long begun,
            @Nullable TransitionEvent event) {
        this.telemetry = telemetry;
        this.transition = transition;
        this.run = run;
        this.begun = begun;
        this.event = event;
    }

    /** Ends the span, as the store has answered. */
    public void answered(Transition.Outcome outcome) {
        if (telemetry == null || transition == null) {
            return;
        }
        if (event != null) {
            record(event, transition, outcome);
        }
        EngineObserver observer = telemetry.observer();
        observer.transitionWritten(new TransitionWrite(
                run.workflowType(),
                transition.run().workflowId(),
                transition.run().runId(),
                outcome,
                transition.events().size(),
                Duration.ofNanos(telemetry.clock().nanoTime() - begun)));
        switch (outcome) {
            case STALE -> observer.staleRefused(EngineObserver.Stale.OUTCOME_IN_TRANSITION);
            case FENCE_LOST -> observer.staleRefused(EngineObserver.Stale.TRANSITION);
            case APPLIED, APPLIED_MORE -> closed(telemetry, transition);
            case CLOSE_REFUSED, LOCKED -> {}
        }
    }

    private void closed(Telemetry to, Transition applied) {
        Transition.Close close = applied.close();
        if (close != null) {
            if (close.isRetried()) {
                retried(applied, close);
            } else if (close.status() == WorkflowStatus.FAILED) {
                logged(to, applied, close.failure());
            }
            to.observer()
                    .workflowClosed(new WorkflowClose(
                            run.workflowType(),
                            applied.run().workflowId(),
                            applied.run().runId(),
                            close.status(),
                            close.isRetried(),
                            to.since(RunIds.time(applied.run().runId()))));
        }
    }

    private void retried(Transition applied, Transition.Close close) {
        NewRun next = Objects.requireNonNull(close.next());
        String json = close.failure();
        log.info(
                "an attempt of {} {} failed by {}; the next, run {}, in {}",
                run.workflowType(),
                applied.run(),
                json == null ? "" : types(FailureJson.decode(json)),
                next.run().runId(),
                next.firstTurn().delay());
    }

    private void logged(Telemetry to, Transition applied, @Nullable String json) {
        FailureLog log = to.failures();
        if (log.logs(FailureLog.Kind.RUN)) {
            Failure why = json == null ? null : FailureJson.decode(json);
            boolean declared = why != null && to.isDeclared(run.workflowType(), why);
            log.failed(
                    declared ? FailureLog.Kind.DECLARED_RUN : FailureLog.Kind.RUN,
                    new FailureLog.Subject(applied.run(), null, 0, TraceId.of(run.headers())),
                    run.workflowType() + (why == null ? "" : ": " + types(why)),
                    run.workflowType() + " " + applied.run() + " failed",
                    why);
        }
    }

    private static String types(Failure why) {
        Failure cause = why.cause();
        return cause == null ? why.type() : why.type() + " of " + types(cause);
    }

    private void record(TransitionEvent open, Transition written, Transition.Outcome outcome) {
        if (open.endsFor(run.workflowType(), written.run())) {
            open.outcome = outcome.name();
            open.firstEvent = written.nextEventId();
            open.events = written.events().size();
            open.commit();
        }
    }
}
