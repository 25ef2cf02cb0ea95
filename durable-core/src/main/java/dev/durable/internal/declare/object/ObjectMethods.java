package dev.durable.internal.declare.object;

import dev.durable.internal.declare.type.Problem;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Answers {@code equals}, {@code hashCode} and {@code toString} of an empty object: it equals only itself. */
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
