package dev.durable.intercept;

import dev.durable.store.RecordText;
import java.util.UUID;

/**
 * A query that an interceptor sees.
 *
 * @param workflowId whose run is asked
 * @param runId the run
 * @param type its workflow type
 * @param name of the query
 */
public record QueryCall(String workflowId, UUID runId, String type, String name) {

    @Override
    public String toString() {
        return RecordText.of(this);
    }
}
