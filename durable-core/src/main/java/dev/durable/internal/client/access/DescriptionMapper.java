package dev.durable.internal.client.access;

import dev.durable.client.WaitingReason;
import dev.durable.client.WhyWaiting;
import dev.durable.client.WhyWaiting.CodeWait;
import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowSummary;
import dev.durable.history.FailureJson;
import dev.durable.store.RunDetails;
import dev.durable.store.RunRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts rows of the store to the summaries and descriptions of the API. */
public final class DescriptionMapper {
    private DescriptionMapper() {}

    static WorkflowSummary summary(RunRecord run) {
        return new WorkflowSummary(
                run.run().workflowId(),
                run.run().runId(),
                run.type(),
                run.status(),
                run.taskQueue(),
                run.startedAt(),
                run.closedAt(),
                run.memo(),
                new WorkflowSummary.Chain(
                        run.links().chainId(),
                        run.links().previous(),
                        run.links().next(),
                        run.links().attempt()),
                run.details(),
                run.build());
    }

    /** Returns a failure as type and message, for readers; a text that is no failure stays as it is. */
    private static @Nullable String failure(@Nullable String json) {
        if (json == null) {
            return null;
        }
        try {
            return FailureJson.decode(json).typeAndMessage();
        } catch (IllegalArgumentException e) {
            return json;
        }
    }

    public static WhyWaiting why(RunRecord run, List<WaitingReason> reasons, List<CodeWait> code) {
        return new WhyWaiting(summary(run), reasons, code);
    }

    public static WorkflowDescription of(RunDetails details) {
        return new WorkflowDescription(
                summary(details.run()),
                details.historyLength(),
                failure(details.run().failure()),
                details.stalledBy(),
                details.ownedUntil(),
                details.lastSession(),
                details.wakeAt(),
                details.messages(),
                details.jobs(),
                details.startedBy(),
                details.paused(),
                details.parent());
    }
}
