package dev.durable.spring;

import dev.durable.history.OptionsJson;
import dev.durable.internal.declare.object.EmptyObjects;
import dev.durable.internal.payload.PayloadCodec;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * Loads what the registration of the first workflow and activity takes, on Spring Boot's thread for that while the
 * application starts: Jackson's mapper, what writes a subclass, Caffeine. jOOQ is not among it: the first listing loads it,
 * as two threads that initialise its classes may stop each other (docs/decisions/0099).
 */
final class DurablePreinitializer implements BackgroundPreinitializer {
    @Override
    public void preinitialize() {
        EmptyObjects.prepare(AnyType.class);
        new PayloadCodec(PayloadCodec.DEFAULT_MAX_BYTES).encode("text", String.class, "a text");
        OptionsJson.encode(OptionsJson.decode("{}"));
    }

    /** The first class for which a subclass is made. */
    static class AnyType {
        String run() {
            return "";
        }
    }
}
