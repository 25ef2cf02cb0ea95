package dev.durable.declare;

import java.lang.reflect.Type;
import java.util.List;

/**
 * Everything that was registered, as it was read, right or wrong: for checks that an engine adds to those of this package,
 * so that whoever registers gets all that is wrong at once.
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
