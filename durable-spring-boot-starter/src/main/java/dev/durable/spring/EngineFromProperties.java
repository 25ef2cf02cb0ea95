package dev.durable.spring;

import dev.durable.DurableEngine;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** What the properties say, told to the builder. */
final class EngineFromProperties {
    private static final String ACTIVITIES = "durable.activities";

    private EngineFromProperties() {}

    static void apply(DurableProperties properties, Environment environment, DurableEngine.Builder builder) {
        builder.drainTimeout(properties.getDrainTimeout())
                .sessionLease(properties.getSessionLease())
                .pollInterval(properties.getPollInterval())
                .maxPayloadBytes(properties.getMaxPayloadBytes())
                .configuration(activityOptions(environment));
        if (properties.getIdentity() != null) {
            builder.identity(properties.getIdentity());
        }
        if (properties.isClientOnly()) {
            builder.clientOnly();
        }
        properties
                .getQueues()
                .forEach((name, queue) ->
                        builder.queue(name, q -> q.slots(queue.getSlots()).virtualThreads(queue.isVirtualThreads())));
    }

    /** {@code durable.activities.Payments.start-to-close} and the like, as the engine's own configuration has them. */
    private static Map<String, String> activityOptions(Environment environment) {
        Map<String, String> options = new LinkedHashMap<>();
        Binder.get(environment)
                .bind(ACTIVITIES, Bindable.mapOf(String.class, String.class))
                .ifBound(bound -> bound.forEach((key, value) -> options.put(ACTIVITIES + "." + key, value)));
        return options;
    }
}
