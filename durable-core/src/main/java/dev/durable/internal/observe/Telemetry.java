package dev.durable.internal.observe;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.Failure;
import dev.durable.observe.ChoreRun;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.RunStall;
import dev.durable.store.ClaimedJob;
import dev.durable.store.Nudges;
import dev.durable.store.RunKey;
import dev.durable.store.StoreClock;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * Reports to observers and the flight recorder what runs, attempts and upkeep do. Where neither is on, each call reads
 * two fields and makes no object.
 */
public final class Telemetry {
    private final EngineObserver observer;
    private final StoreClock clock;
    private final FailureLog failures;
    private final Tries tries;
    private final BiPredicate<String, Failure> declared;
    private final boolean observed;

    /** Creates a telemetry that logs failures without stacks. */
    public Telemetry(EngineObserver observer, StoreClock clock) {
        this(
                observer,
                clock,
                new FailureLog("", clock::nanoTime, failure -> null),
                new Tries(clock::nanoTime, thrown -> thrown),
                (type, failure) -> false);
    }

    /**
     * @param observer the observer; {@link EngineObserver#NONE} for none
     * @param clock measures times
     * @param failures logs failures, with observers and without
     * @param tries remembers which actions fail again and again
     * @param declared whether runs of a workflow type declare a failure
     */
    public Telemetry(
            EngineObserver observer,
            StoreClock clock,
            FailureLog failures,
            Tries tries,
            BiPredicate<String, Failure> declared) {
        this.observer = observer;
        this.clock = clock;
        this.failures = failures;
        this.tries = tries;
        this.declared = declared;
        this.observed = !observer.equals(EngineObserver.NONE);
    }

    public boolean isObserved() {
        return observed;
    }

    public EngineObserver observer() {
        return observer;
    }

    StoreClock clock() {
        return clock;
    }

    public FailureLog failures() {
        return failures;
    }

    public Tries tries() {
        return tries;
    }

    boolean isDeclared(String workflowType, Failure failure) {
        return declared.test(workflowType, failure);
    }

    /** Returns how long ago that was; not negative, as this process only estimates the store's clock. */
    Duration since(Instant then) {
        Duration since = Duration.between(then, clock.now());
        return since.isNegative() ? Duration.ZERO : since;
    }

    /**
     * Begins the span of a transition that is handed over to its lane.
     *
     * @param headers the headers of the run, which name its trace
     */
    public TransitionSpan transition(Transition transition, String workflowType, Map<String, String> headers) {
        TransitionEvent event = FlightRecording.THERE ? TransitionEvent.begun() : null;
        return observed || event != null || fails(transition)
                ? new TransitionSpan(
                        this, transition, new TransitionSpan.OfRun(workflowType, headers), clock.nanoTime(), event)
                : TransitionSpan.NONE;
    }

    private static boolean fails(Transition transition) {
        Transition.Close close = transition.close();
        return close != null && close.status() == WorkflowStatus.FAILED;
    }

    /** Begins the span of an attempt. */
    public AttemptSpan attempt(ClaimedJob job, boolean local) {
        return observed || (FlightRecording.THERE && ActivityAttemptEvent.isOn())
                ? new AttemptSpan(this, job, local)
                : AttemptSpan.NONE;
    }

    /** Begins the span of a replay. */
    public ReplaySpan replay(RunKey run, String workflowType) {
        ReplayEvent event = FlightRecording.THERE ? ReplayEvent.begun() : null;
        return observed || event != null
                ? new ReplaySpan(this, run, workflowType, clock.nanoTime(), event)
                : ReplaySpan.NONE;
    }

    /** Reports a run that can't go on. */
    public void stalled(RunKey run, String workflowType, String reason) {
        boolean recorded = FlightRecording.THERE && StallEvent.isOn();
        if (observed || recorded) {
            RunStall stall = new RunStall(workflowType, run.workflowId(), run.runId(), reason);
            if (recorded) {
                StallEvent.record(stall);
            }
            observer.runStalled(stall);
        }
    }

    /** Reports a timer that is fed to its run. */
    public void timerFired(String workflowType, Instant due, Instant fired) {
        if (observed) {
            observer.timerFired(workflowType, Duration.between(due, fired));
        }
    }

    /** Reports that a claimed run goes on with the instance in memory. */
    public void foundInMemory(String workflowType) {
        if (observed) {
            observer.runFoundInMemory(workflowType);
        }
    }

    /** Reports a nudge that arrived. */
    public void heard(Nudges.Nudge nudge) {
        if (observed) {
            switch (nudge) {
                case Nudges.RunsDue ignored -> observer.nudgeHeard(EngineObserver.Nudge.RUNS_DUE);
                case Nudges.JobsReady ignored -> observer.nudgeHeard(EngineObserver.Nudge.JOBS_READY);
                case Nudges.RulesChanged ignored -> observer.nudgeHeard(EngineObserver.Nudge.RULES_CHANGED);
                case Nudges.RunClosed ignored -> observer.nudgeHeard(EngineObserver.Nudge.RUN_CLOSED);
                case Nudges.UpdateAnswered ignored -> observer.nudgeHeard(EngineObserver.Nudge.UPDATE_ANSWERED);
                case Nudges.StreamWritten ignored -> observer.nudgeHeard(EngineObserver.Nudge.STREAM_WRITTEN);
                case Nudges.JobBuried ignored -> observer.nudgeHeard(EngineObserver.Nudge.JOB_BURIED);
                case Nudges.OutboxFilled ignored -> observer.nudgeHeard(EngineObserver.Nudge.OUTBOX_FILLED);
                case Nudges.HearingBegins ignored -> observer.nudgeHeard(EngineObserver.Nudge.HEARING_BEGINS);
                case Nudges.OutboxAwaited ignored -> {}
            }
        }
    }

    /** Reports a completed run of a chore. */
    public void choreDone(String name, Duration took, long rows) {
        if (observed) {
            observer.choreDone(new ChoreRun(name, took, rows));
        }
    }
}
