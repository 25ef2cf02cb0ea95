package dev.durable.internal.declare;

import dev.durable.internal.declare.type.GenericTypes;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.Unserialisable;
import java.lang.reflect.Type;
import java.util.List;

/**
 * Everything that was registered, right or wrong, for further checks of the engine, so that a user gets all errors at
 * once.
 *
 * @param signatures of the workflows, of their handlers and of all activities
 * @param implemented activities that are implemented here, with their options
 */
public record Declarations(List<MethodSpec> signatures, List<ActivityMethod> implemented) {

    public Declarations {
        signatures = List.copyOf(signatures);
        implemented = List.copyOf(implemented);
    }

    /** Whether the declaration of a parameter or result alone tells that no payload can carry it, and so is refused already. */
    public static boolean isRefused(Type type) {
        return Unserialisable.reason(type).isPresent()
                || GenericTypes.openVariable(type).isPresent();
    }
}
