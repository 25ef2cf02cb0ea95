package dev.durable.intercept;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to cancel, or the termination, that an interceptor sees.
 *
 * @param workflowId whose run it is for
 * @param runId the run; null is the open one
 * @param type the workflow type; null where the handle was made by name and the type is not registered here
 * @param reason as the caller gave it
 */
public record EndCall(
        String workflowId, @Nullable UUID runId, @Nullable String type, String reason) {}
