package dev.durable.intercept;

import java.util.UUID;

/**
 * An update that an interceptor sees.
 *
 * @param workflowId whose run it is for
 * @param runId the run, as the handle knows it: where it has continued as new since the handle's last update, an earlier
 *     run of its chain
 * @param type its workflow type
 * @param name of the update
 * @param updateId its id, the caller's or one that was made
 */
public record SentUpdate(String workflowId, UUID runId, String type, String name, String updateId) {}
