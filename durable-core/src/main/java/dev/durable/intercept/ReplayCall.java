package dev.durable.intercept;

import dev.durable.internal.text.NamedValues;
import java.util.Map;
import java.util.UUID;

/**
 * The replay of a run that an interceptor sees.
 *
 * @param workflowId the business identity
 * @param runId the run
 * @param type its workflow type
 * @param headers of the run
 */
public record ReplayCall(String workflowId, UUID runId, String type, Map<String, String> headers) {
    public ReplayCall {
        headers = NamedValues.copyOf(headers);
    }

    @Override
    public Map<String, String> headers() {
        return NamedValues.plain(headers);
    }
}
