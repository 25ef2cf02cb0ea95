package dev.durable;

import dev.durable.internal.text.NamedValues;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/**
 * The identity of the current run, as workflow code sees it; the same live and on replay.
 *
 * @param workflowId the business identity
 * @param runId this run
 * @param type the workflow type
 * @param taskQueue its task queue
 * @param startedAt when it was started
 * @param historyLength events in its history up to the one being processed
 * @param headers headers given at the start
 */
public record WorkflowInfo(
        String workflowId,
        UUID runId,
        String type,
        String taskQueue,
        Instant startedAt,
        long historyLength,
        Map<String, String> headers) {

    public WorkflowInfo {
        headers = NamedValues.copyOf(headers);
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }
}
