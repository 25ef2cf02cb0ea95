package dev.durable.internal.client.access;

import dev.durable.internal.declare.Registry;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.text.Bounds;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The registry, codecs and identity with which a client reads and writes values.
 *
 * @param registry the declarations of workflow classes
 * @param unknownTypes refuses or logs starts of workflow types that the registry does not have
 * @param payloads reads and writes values as JSON
 * @param failures reads and writes exceptions as JSON
 * @param random makes random ids
 * @param identity the name of this process in events
 * @param interception the interceptors around calls
 */
public record ClientCode(
        Registry registry,
        UnknownTypes unknownTypes,
        PayloadCodec payloads,
        FailureCodec failures,
        Supplier<UUID> random,
        String identity,
        Interception interception) {

    /**
     * Returns the reason in the form in which it may be recorded: often it is the message of an exception.
     *
     * @throws dev.durable.RefusedInputException where it is too long or has control characters
     */
    public String reason(String what, String reason) {
        return failures.recordable(Bounds.reason(what, reason));
    }
}
