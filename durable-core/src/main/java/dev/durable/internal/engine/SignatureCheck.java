package dev.durable.internal.engine;

import dev.durable.internal.declare.Declarations;
import dev.durable.internal.payload.PayloadCodec;
import java.util.List;

/**
 * Checks before the engine starts that the types in all registered signatures can be written and read as JSON. A result
 * that can't be read back would else be found out when the work is done and its run can't go on.
 */
final class SignatureCheck {
    private SignatureCheck() {}

    /** Signatures that no payload can carry, but for what is refused already. */
    static List<String> problems(Declarations declared, PayloadCodec payloads) {
        return declared.signatures().stream()
                .flatMap(signature -> payloads.problems(signature, Declarations::isRefused).stream())
                .distinct()
                .toList();
    }
}
