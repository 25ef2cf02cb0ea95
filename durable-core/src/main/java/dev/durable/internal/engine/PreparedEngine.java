package dev.durable.internal.engine;

import dev.durable.client.DurableEngine;

/**
 * An engine that claims nothing until it is told to: for containers whose activities are ready later than their client.
 */
public interface PreparedEngine extends DurableEngine {
    /** Opens the session and begins to claim. Once. */
    void work();
}
