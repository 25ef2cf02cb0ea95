package dev.durable.internal.engine;

import dev.durable.client.DurableEngine;

/**
 * An engine that claims nothing until it is told to: for containers whose activities are ready later than their client.
 */
public interface PreparedEngine extends DurableEngine {
    /** Opens the session and begins to claim. Once. */
    void work();

    /**
     * Claims nothing from here on; what runs here goes on, and what this process starts itself is begun here. For
     * containers that stop their callers before the engine.
     */
    void claimNoMore();
}
