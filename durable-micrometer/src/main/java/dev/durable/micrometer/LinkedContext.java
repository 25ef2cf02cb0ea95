package dev.durable.micrometer;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.Map;

/**
 * The context of an observation that begins a trace of its own, long after the start that it belongs to. {@link
 * DurableLinkHandler} links its span to the one of the start.
 */
public final class LinkedContext extends ReceiverContext<Map<String, String>> {
    private final Map<String, String> origin;

    LinkedContext(Map<String, String> origin) {
        super(Map::get, Kind.CONSUMER);
        this.origin = Map.copyOf(origin);
        setCarrier(Map.of());
    }

    /** The headers that say which span it would be a child of. */
    public Map<String, String> origin() {
        return origin;
    }
}
