package dev.durable.spring.event;

import dev.durable.client.WorkflowStatus;
import dev.durable.observe.ActivityAttemptEnd;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.RunStall;
import dev.durable.observe.WorkflowClose;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** Makes application events of what the engine tells its observers, of the kinds that some bean listens to. */
final class EventObserver implements EngineObserver {
    private static final int MOST_STALLS = 1_000;

    private final EventListeners listeners;
    private final EventQueue queue;

    /** Why a run stalled when it was told; the earliest is forgotten where there are too many. */
    private final Map<UUID, String> stalls = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, String> eldest) {
            return size() > MOST_STALLS;
        }
    });

    EventObserver(EventListeners listeners, EventQueue queue) {
        this.listeners = listeners;
        this.queue = queue;
    }

    private <E extends DurableEvent> void tell(Class<E> kind, Supplier<E> event) {
        if (listeners.listensTo(kind)) {
            queue.add(event.get());
        }
    }

    @Override
    public void workflowClosed(WorkflowClose close) {
        stalls.remove(close.runId());
        if (close.status() == WorkflowStatus.COMPLETED) {
            tell(
                    WorkflowCompletedEvent.class,
                    () -> new WorkflowCompletedEvent(
                            close.workflowId(), close.runId(), close.workflowType(), close.duration()));
        } else if (close.status() != WorkflowStatus.CONTINUED_AS_NEW) {
            tell(
                    WorkflowFailedEvent.class,
                    () -> new WorkflowFailedEvent(
                            close.workflowId(), close.runId(), close.workflowType(), close.status(), close.duration()));
        }
    }

    /** Is tried again each minute, and told once. */
    @Override
    public void runStalled(RunStall stall) {
        if (!stall.reason().equals(stalls.put(stall.runId(), stall.reason()))) {
            tell(
                    WorkflowStalledEvent.class,
                    () -> new WorkflowStalledEvent(
                            stall.workflowId(), stall.runId(), stall.workflowType(), stall.reason()));
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
                                end.fingerprint()));
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
                                end.fingerprint()));
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
                                end.fingerprint()));
            default -> {
                // no event
            }
        }
    }
}
