package dev.durable.micrometer;

import io.micrometer.common.KeyValue;
import java.util.Map;
import java.util.regex.Matcher;

/**
 * The context of an observation that begins a trace of its own, long after the start that it belongs to. {@link
 * DurableLinkHandler} links its span to the one of the start.
 */
public final class LinkedContext extends ReceivedContext {
    private final Map<String, String> origin;

    LinkedContext(CallTags tags, Map<String, String> origin) {
        super(tags, Map.of());
        this.origin = Map.copyOf(origin);
        Matcher span = DurableTracing.span(origin);
        if (span.matches()) {
            addHighCardinalityKeyValue(KeyValue.of("durable.origin", span.group()));
        }
    }

    /** The headers that say which span it would be a child of. */
    public Map<String, String> origin() {
        return origin;
    }
}
