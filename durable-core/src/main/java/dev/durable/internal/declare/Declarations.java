package dev.durable.internal.declare;

import dev.durable.internal.declare.type.GenericTypes;
import dev.durable.internal.declare.type.MethodSpec;
import dev.durable.internal.declare.type.Unserialisable;
import java.lang.reflect.Type;
import java.util.List;

/**
 * All declarations that were registered, right or wrong, for further checks of the engine, so that a user gets all
 * errors at once.
 *
 * @param signatures the signatures of the workflows, of their handlers and of all activities
 * @param implemented the activities that are implemented here, with their options
 */
public record Declarations(List<MethodSpec> signatures, List<ActivityMethod> implemented) {

    public Declarations {
        signatures = List.copyOf(signatures);
        implemented = List.copyOf(implemented);
    }

    /**
     * Returns whether the declaration of a parameter or result alone shows that no payload can carry it, so that it is
     * refused already.
     */
    public static boolean isRefused(Type type) {
        return Unserialisable.reason(type).isPresent()
                || GenericTypes.openVariable(type).isPresent();
    }
}
