package dev.durable.micrometer;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The context of an observation that goes on with the trace that headers name: of turns and activities. */
class ReceivedContext extends ReceiverContext<Map<String, String>> {
    private final CallTags tags;

    ReceivedContext(CallTags tags, Map<String, String> headers) {
        super(Map::get, Kind.CONSUMER);
        this.tags = tags;
        setCarrier(headers);
    }

    @Override
    public KeyValues getLowCardinalityKeyValues() {
        return tags.low(super.getLowCardinalityKeyValues());
    }

    @Override
    public KeyValues getHighCardinalityKeyValues() {
        return tags.high(super.getHighCardinalityKeyValues());
    }

    @Override
    public @Nullable KeyValue getLowCardinalityKeyValue(String key) {
        return tags.low(key, super.getLowCardinalityKeyValue(key));
    }

    @Override
    public @Nullable KeyValue getHighCardinalityKeyValue(String key) {
        return tags.high(key, super.getHighCardinalityKeyValue(key));
    }

    @Override
    public Observation.Context removeLowCardinalityKeyValue(String key) {
        tags.removeLow(key);
        return super.removeLowCardinalityKeyValue(key);
    }

    @Override
    public Observation.Context removeHighCardinalityKeyValue(String key) {
        tags.removeHigh(key);
        return super.removeHighCardinalityKeyValue(key);
    }
}
