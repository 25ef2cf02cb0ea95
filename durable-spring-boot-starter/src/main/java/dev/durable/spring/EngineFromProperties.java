package dev.durable.spring;

import dev.durable.client.DurableEngine;
import dev.durable.internal.engine.EngineBuilder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Applies the configuration properties to the builder of the engine. What the builder refuses is an error that names the
 * property.
 *
 * @param properties what is configured
 * @param virtualThreads what {@code spring.threads.virtual.enabled} says, for queues that do not say
 * @param packagedBuild the name of the build as its build tool has packaged it, where none is configured; null without
 */
record EngineFromProperties(
        DurableProperties properties,
        boolean virtualThreads,
        @Nullable String packagedBuild) {
    private static final String DEFAULT_QUEUE = "default";
    private static final DurableProperties.Queue DEFAULT = new DurableProperties.Queue(50, null);

    void apply(DurableEngine.Builder builder) {
        set("drain-timeout", properties.drainTimeout(), value -> {
            refuseNegative(value.isNegative());
            builder.drainTimeout(value);
        });
        set("session-lease", properties.sessionLease(), builder::sessionLease);
        set("cancel-grace", properties.cancelGrace(), builder::cancelGrace);
        set("call-timeout", properties.callTimeout(), value -> {
            refuseNegative(value.isNegative());
            builder.callTimeout(value);
        });
        set("poll-interval", properties.pollInterval(), builder::pollInterval);
        set("max-payload-size", properties.maxPayloadSize(), value -> builder.maxPayloadBytes(bytes(value)));
        set("max-history-events", properties.maxHistoryEvents(), builder::maxHistoryEvents);
        set("max-history-size", properties.maxHistorySize(), value -> builder.maxHistoryBytes(value.toBytes()));
        set("stall-on", properties.stallOn(), all -> all.forEach(builder::stallOn));
        set("identity", properties.identity(), builder::identity);
        set("installation", properties.installation(), builder::installation);
        set("build", properties.build() == null ? packagedBuild : properties.build(), builder::build);
        set(
                "max-transactional-activities",
                properties.maxTransactionalActivities(),
                builder::maxTransactionalActivities);
        if (endsDenied() && builder instanceof EngineBuilder ours) {
            ours.retryIf(new RefusedBySecurity());
        }
        builder.configuration(activityOptions());
        if (properties.clientOnly()) {
            builder.clientOnly();
        } else if (!properties.queues().isEmpty()) {
            serve(builder);
        }
    }

    /** Returns whether an activity that Spring Security refused is not tried again. */
    boolean endsDenied() {
        return !properties.retryDenied() && RefusedBySecurity.canBe();
    }

    /** For a builder that no customizer has named a queue for. */
    void serveDefault(EngineBuilder builder) {
        if (!properties.clientOnly() && !builder.hasQueues()) {
            serve(builder, DEFAULT_QUEUE, DEFAULT);
        }
    }

    /**
     * Serves the queues of the properties, and the default queue beside them: an application that adds a queue does not
     * want to lose the one that all other work is in.
     */
    private void serve(DurableEngine.Builder builder) {
        Map<String, DurableProperties.Queue> served = new LinkedHashMap<>(properties.queues());
        served.putIfAbsent(DEFAULT_QUEUE, DEFAULT);
        served.values().removeIf(queue -> queue.slots() == 0);
        if (served.isEmpty()) {
            throw new SetupException(
                    "durable.queues gives no task queue a slot, so this process would work on nothing.",
                    "Set durable.client-only=true, if that is meant, or give a queue slots.");
        }
        served.forEach((name, queue) -> serve(builder, name, queue));
    }

    private void serve(DurableEngine.Builder builder, String name, DurableProperties.Queue queue) {
        boolean virtual = queue.virtualThreads() == null ? virtualThreads : queue.virtualThreads();
        set("queues." + name + ".slots", queue.slots(), slots -> {
            if (slots < 0) {
                throw new IllegalArgumentException(
                        "a queue has at least 1 slot, or 0 where this process does not serve it.");
            }
            builder.queue(name, q -> q.slots(slots).virtualThreads(virtual));
        });
    }

    private static <T> void set(String key, @Nullable T value, Consumer<T> setter) {
        if (value != null) {
            try {
                setter.accept(value);
            } catch (IllegalArgumentException e) {
                throw refused(key, value, e);
            }
        }
    }

    /** With the property in front of what the builder says. */
    static SetupException refused(String key, @Nullable Object value, IllegalArgumentException why) {
        return new SetupException(
                DurableProperties.PREFIX + "." + key + " = " + value + " is refused: " + sentence(why),
                "Correct " + DurableProperties.PREFIX + "." + key + " in the application's configuration.",
                why);
    }

    private static String sentence(IllegalArgumentException why) {
        String said = String.valueOf(why.getMessage());
        return said.endsWith(".") ? said : said + ".";
    }

    private static void refuseNegative(boolean negative) {
        if (negative) {
            throw new IllegalArgumentException("a time to wait can't be negative.");
        }
    }

    private static int bytes(DataSize size) {
        if (size.toBytes() < 1 || size.toBytes() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a payload has at least 1 byte and at most " + Integer.MAX_VALUE + ".");
        }
        return (int) size.toBytes();
    }

    /** With their whole keys, as the engine reads them and as its errors should show them. */
    private Map<String, String> activityOptions() {
        Map<String, String> options = new TreeMap<>();
        properties.activities().forEach((key, value) -> options.put("durable.activities." + key, value));
        return options;
    }
}
