package dev.durable.spring.event;

import java.util.UUID;

/** An application event about one run. */
public sealed interface DurableEvent
        permits WorkflowCompletedEvent,
                WorkflowFailedEvent,
                WorkflowStalledEvent,
                ActivityRetryingEvent,
                DeadLetterEvent,
                IncidentEvent {
    /** The business identity. */
    String workflowId();

    /** Which run. */
    UUID runId();

    /** Its type; {@code durable.job} for background jobs; empty where it is not known. */
    String workflowType();

    /**
     * The schema of its engine's tables; empty in memory. In an application with several engines, the same workflow id may
     * stand in each.
     */
    String schema();
}
