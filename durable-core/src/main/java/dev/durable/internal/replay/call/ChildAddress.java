package dev.durable.internal.replay.call;

import java.util.UUID;

/**
 * The address of a child: its chain.
 *
 * @param workflowId its workflow id
 * @param chain the id of its first run
 */
public record ChildAddress(String workflowId, UUID chain) {}
