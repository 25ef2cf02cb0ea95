package dev.durable.micrometer;

import dev.durable.client.EngineNames;
import dev.durable.client.WorkflowStatus;
import dev.durable.observe.RunReplay;
import dev.durable.observe.TransitionWrite;
import dev.durable.observe.WorkflowClose;
import dev.durable.observe.WorkflowStart;
import dev.durable.store.Transition;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** Counts and times starts, transitions, replays and ends of workflow runs. */
final class WorkflowMeters {
    private final MeterRegistry registry;
    private final Tags common;
    private final BoundedMeters<OfType> types;
    private final EnumMeters<Transition.Outcome, Timer> transitions;
    private final DistributionSummary events;
    private final Counter hits;
    private final Counter misses;
    private final Counter evictions;

    WorkflowMeters(MeterRegistry registry, Tags common) {
        this.registry = registry;
        this.common = common;
        this.types = new BoundedMeters<>(OfType::new);
        this.transitions = new EnumMeters<>(
                Transition.Outcome.class,
                outcome -> DurableMeter.TRANSITIONS.timer(registry, common, EnumMeters.tag(outcome)));
        this.events = DurableMeter.TRANSITION_EVENTS.summary(registry, common);
        this.hits = DurableMeter.CACHE_LOOKUPS.counter(registry, common, "hit");
        this.misses = DurableMeter.CACHE_LOOKUPS.counter(registry, common, "miss");
        this.evictions = DurableMeter.CACHE_EVICTIONS.counter(registry, common);
    }

    void know(EngineNames names) {
        types.know(names.workflowTypes());
    }

    void started(WorkflowStart start) {
        types.of(start.workflowType())
                .starts
                .of(start.how())
                .of(start.outcome())
                .increment();
    }

    void closed(WorkflowClose close) {
        types.of(close.workflowType()).durations.of(close.status()).record(close.duration());
    }

    void written(TransitionWrite transition) {
        transitions.of(transition.outcome()).record(transition.took());
        if (transition.outcome().isApplied()) {
            events.record(transition.events());
        }
    }

    void replayed(RunReplay replay) {
        OfType type = types.of(replay.workflowType());
        type.replays.record(replay.took());
        type.replayed.record((double) replay.events());
        misses.increment();
    }

    void foundInMemory() {
        hits.increment();
    }

    void evicted() {
        evictions.increment();
    }

    void stalled(String workflowType) {
        types.of(workflowType).stalls.increment();
    }

    void timerFired(String workflowType, Duration late) {
        types.of(workflowType).lateness.record(late);
    }

    private final class OfType {
        final EnumMeters<WorkflowStart.How, EnumMeters<WorkflowStart.Outcome, Counter>> starts;
        final EnumMeters<WorkflowStatus, Timer> durations;
        final Timer replays;
        final DistributionSummary replayed;
        final Timer lateness;
        final Counter stalls;

        OfType(String type) {
            this.starts = new EnumMeters<>(
                    WorkflowStart.How.class,
                    how -> new EnumMeters<>(
                            WorkflowStart.Outcome.class,
                            outcome -> DurableMeter.WORKFLOW_STARTS.counter(
                                    registry, common, type, EnumMeters.tag(how), EnumMeters.tag(outcome))));
            this.durations = new EnumMeters<>(
                    WorkflowStatus.class,
                    status -> DurableMeter.WORKFLOW_DURATION.timer(registry, common, type, EnumMeters.tag(status)));
            this.replays = DurableMeter.REPLAY.timer(registry, common, type);
            this.replayed = DurableMeter.REPLAY_EVENTS.summary(registry, common, type);
            this.lateness = DurableMeter.TIMER_LATENESS.timer(registry, common, type);
            this.stalls = DurableMeter.STALLS.counter(registry, common, type);
        }
    }
}
