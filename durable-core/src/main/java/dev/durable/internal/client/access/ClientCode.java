package dev.durable.internal.client.access;

import dev.durable.internal.declare.Registry;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.store.Bounds;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * What a client needs to read and write values: registry, codecs and identity.
 *
 * @param registry what workflow classes declare
 * @param unknownTypes what is done with workflow types that the registry does not have
 * @param payloads values as JSON
 * @param failures exceptions as JSON
 * @param random random ids
 * @param identity how this process calls itself in events
 * @param interception what calls pass through
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
     * A reason as it may be recorded: often it is the message of an exception.
     *
     * @throws dev.durable.RefusedInputException where it is none
     */
    public String reason(String what, String reason) {
        return failures.recordable(Bounds.reason(what, reason));
    }
}
