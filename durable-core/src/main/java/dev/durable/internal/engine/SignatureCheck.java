package dev.durable.internal.engine;

import dev.durable.internal.declare.Declarations;
import dev.durable.internal.payload.PayloadCodec;
import java.util.List;

/**
 * Checks before the engine starts that the types in all registered signatures can be written and read as JSON. Without
 * it, a result that can't be read back would be noticed only after the work is done, when its run can't go on.
 */
final class SignatureCheck {
    private SignatureCheck() {}

    /** Returns the problems of signatures that no payload can carry, except those that are refused already. */
    static List<String> problems(Declarations declared, PayloadCodec payloads) {
        return declared.signatures().stream()
                .flatMap(signature -> payloads.problems(signature, Declarations::isRefused).stream())
                .distinct()
                .toList();
    }
}
