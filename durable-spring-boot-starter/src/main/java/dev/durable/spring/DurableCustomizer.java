package dev.durable.spring;

import dev.durable.client.DurableEngine;

/** A bean that changes the engine's builder after the properties and before the start. */
@FunctionalInterface
public interface DurableCustomizer {
    /** Changes the builder. */
    void customize(DurableEngine.Builder builder);
}
