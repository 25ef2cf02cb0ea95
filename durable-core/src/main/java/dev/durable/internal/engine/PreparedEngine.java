package dev.durable.internal.engine;

import dev.durable.client.DurableEngine;

/**
 * An engine that claims nothing until {@link #work}: for containers whose activities are ready later than their client.
 */
public interface PreparedEngine extends DurableEngine {
    /** Opens the session and begins to claim. Called once. */
    void work();

    /**
     * Claims nothing from here on; running work goes on, and runs and jobs that this process starts itself still begin
     * here. For containers that stop their callers before the engine.
     */
    void claimNoMore();
}
