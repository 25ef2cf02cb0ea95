package dev.durable.spring;

import dev.durable.client.DurableEngine;
import dev.durable.store.HistoryStore;
import java.util.function.Function;

/**
 * Makes engines for applications that need more than one: a schema for each tenant, on Durable's DataSource. They have the
 * workflows, activities, properties and customizers of the context, take part in its transactions, and begin and end with it.
 * Declare each as a bean. Thread-safe.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false) @Qualifier("acme")
 * DurableEngine acme(DurableEngineFactory engines) {
 *     return engines.onSchema("tenant_acme");
 * }
 * }</pre>
 */
public final class DurableEngineFactory {
    private final EngineParts parts;
    private final Function<String, HistoryStore> stores;

    /** @param stores makes a store on the schema of that name */
    DurableEngineFactory(EngineParts parts, Function<String, HistoryStore> stores) {
        this.parts = parts;
        this.stores = stores;
    }

    /** An engine whose tables are in the schema of that name; {@code durable.schema} is not looked at. */
    public DurableEngine onSchema(String schema) {
        return onSchema(schema, builder -> {});
    }

    /**
     * An engine whose tables are in the schema of that name.
     *
     * @param more changes its builder, after the properties and all customizers
     */
    public DurableEngine onSchema(String schema, DurableCustomizer more) {
        HistoryStore store = stores.apply(schema);
        return parts.engine(store, schema, more, store::close);
    }
}
