package dev.durable.spring;

import dev.durable.client.DurableEngine;
import java.util.Map;
import java.util.TreeMap;

/** What the properties say, told to the builder. */
final class EngineFromProperties {
    private EngineFromProperties() {}

    static void apply(DurableProperties properties, DurableEngine.Builder builder) {
        builder.drainTimeout(properties.getDrainTimeout())
                .sessionLease(properties.getSessionLease())
                .cancelGrace(properties.getCancelGrace())
                .pollInterval(properties.getPollInterval())
                .maxPayloadBytes(properties.getMaxPayloadBytes())
                .configuration(activityOptions(properties));
        properties.getStallOn().forEach(builder::stallOn);
        if (properties.getIdentity() != null) {
            builder.identity(properties.getIdentity());
        }
        if (properties.getInstallation() != null) {
            builder.installation(properties.getInstallation());
        }
        Integer transactional = properties.getMaxTransactionalActivities();
        if (transactional != null) {
            builder.maxTransactionalActivities(transactional);
        }
        if (properties.isClientOnly()) {
            builder.clientOnly();
        }
        properties
                .getQueues()
                .forEach((name, queue) ->
                        builder.queue(name, q -> q.slots(queue.getSlots()).virtualThreads(queue.isVirtualThreads())));
    }

    /** With their whole keys, as the engine reads them and as its errors should show them. */
    private static Map<String, String> activityOptions(DurableProperties properties) {
        Map<String, String> options = new TreeMap<>();
        properties.getActivities().forEach((key, value) -> options.put("durable.activities." + key, value));
        return options;
    }
}
