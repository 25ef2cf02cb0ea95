package dev.durable.internal.declare.object;

import dev.durable.internal.declare.type.Problem;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** What an empty object answers to the calls that every object answers: it is itself and nothing else. */
public final class ObjectMethods {
    private ObjectMethods() {}

    @SuppressWarnings("ReferenceEquality")
    public // which is the point
    static @Nullable Object call(Object self, Method method, @Nullable Object[] arguments, String description) {
        return switch (method.getName()) {
            case "equals" -> self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            case "toString" -> description;
            default -> throw new UnsupportedOperationException(description + " has no " + Problem.shortName(method));
        };
    }
}
