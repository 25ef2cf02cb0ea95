package dev.durable.spring.event;

import dev.durable.client.Alert;
import dev.durable.client.DurableEngine;
import dev.durable.observe.ActivityAttemptEnd;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.RunStall;
import dev.durable.observe.WorkflowClose;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes application events of the engine's events for observers, of the kinds that some bean listens to. */
final class EventObserver implements EngineObserver {
    private static final int MOST_STALLS = 1_000;

    private final EventListeners listeners;
    private final Function<String, EventQueue> queues;
    private volatile String schema = "";
    private volatile @Nullable EventQueue queue;

    /** The reasons of the stalls that were published, by run; the earliest is forgotten where there are too many. */
    private final Map<UUID, String> stalls = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, String> eldest) {
            return size() > MOST_STALLS;
        }
    });

    /** @param queues opens a queue for the engine of that schema */
    EventObserver(EventListeners listeners, Function<String, EventQueue> queues) {
        this.listeners = listeners;
        this.queues = queues;
    }

    @Override
    public void engineStarted(DurableEngine engine) {
        schema = engine.names().schema();
        queue = queues.apply(schema);
    }

    @Override
    public void engineClosed() {
        EventQueue open = queue;
        if (open != null) {
            open.end();
        }
    }

    /** Called by the engine for an alert, where its builder was given this method. */
    void alert(Alert alert) {
        add(new AlertEvent(alert, schema));
    }

    private void add(Object event) {
        EventQueue open = queue;
        if (open != null) {
            open.add(event);
        }
    }

    private <E extends DurableEvent> void tell(Class<E> kind, Supplier<E> event) {
        if (listeners.listensTo(kind)) {
            add(event.get());
        }
    }

    @Override
    public void workflowClosed(WorkflowClose close) {
        stalls.remove(close.runId());
        if (close.retried()) {
            return;
        }
        switch (close.status()) {
            case COMPLETED ->
                tell(
                        WorkflowCompletedEvent.class,
                        () -> new WorkflowCompletedEvent(
                                close.workflowId(), close.runId(), close.workflowType(), close.duration(), schema));
            case FAILED, TIMED_OUT, CANCELLED, TERMINATED ->
                tell(
                        WorkflowFailedEvent.class,
                        () -> new WorkflowFailedEvent(
                                close.workflowId(),
                                close.runId(),
                                close.workflowType(),
                                close.status(),
                                close.duration(),
                                schema));
            case RUNNING, CONTINUED_AS_NEW -> {}
        }
    }

    /** A run that stalls is tried again each minute, and its stall is published once. */
    @Override
    public void runStalled(RunStall stall) {
        if (!stall.reason().equals(stalls.put(stall.runId(), stall.reason()))) {
            tell(
                    WorkflowStalledEvent.class,
                    () -> new WorkflowStalledEvent(
                            stall.workflowId(), stall.runId(), stall.workflowType(), stall.reason(), schema));
        }
    }

    @Override
    public void attemptEnded(ActivityAttemptEnd end) {
        switch (end.outcome()) {
            case RETRIED ->
                tell(
                        ActivityRetryingEvent.class,
                        () -> new ActivityRetryingEvent(
                                end.workflowId(),
                                end.runId(),
                                end.workflowType(),
                                end.activity(),
                                end.seq(),
                                end.attempt(),
                                end.fingerprint(),
                                schema));
            case DEAD_LETTER ->
                tell(
                        DeadLetterEvent.class,
                        () -> new DeadLetterEvent(
                                end.workflowId(),
                                end.runId(),
                                end.workflowType(),
                                end.activity(),
                                end.seq(),
                                end.attempt(),
                                end.fingerprint(),
                                schema));
            case INCIDENT ->
                tell(
                        IncidentEvent.class,
                        () -> new IncidentEvent(
                                end.workflowId(),
                                end.runId(),
                                end.workflowType(),
                                end.activity(),
                                end.seq(),
                                end.attempt(),
                                end.fingerprint(),
                                schema));
            case COMPLETED, FAILED, TIMED_OUT, CANCELLED, DISCARDED, GIVEN_BACK, LEFT_TO_TOKEN, NOT_READ, STALE -> {
                // no event
            }
        }
    }
}
