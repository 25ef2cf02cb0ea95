package dev.durable.client;

import dev.durable.WorkflowDescription;
import dev.durable.WorkflowSummary;
import dev.durable.store.RunDetails;
import dev.durable.store.RunRecord;

/** Converts rows of the store to the summaries and descriptions of the API. */
final class Descriptions {
    private Descriptions() {}

    static WorkflowSummary summary(RunRecord run) {
        return new WorkflowSummary(
                run.run().workflowId(),
                run.run().runId(),
                run.type(),
                run.status(),
                run.taskQueue(),
                run.startedAt(),
                run.closedAt(),
                run.memo());
    }

    static WorkflowDescription of(RunDetails details) {
        return new WorkflowDescription(
                summary(details.run()),
                details.historyLength(),
                details.run().failure(),
                details.stalledBy(),
                details.ownedUntil(),
                details.lastSession(),
                details.wakeAt(),
                details.messages(),
                details.jobs(),
                details.startedBy());
    }
}
