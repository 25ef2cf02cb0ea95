package dev.durable.internal.declare.type;

import java.lang.reflect.Method;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One error in a registration: its place, a description, and the way out.
 *
 * @param where the class, method or key
 * @param what the description, a predicate
 * @param wayOut what to write instead
 */
public record Problem(String where, String what, String wayOut) {

    public static Problem of(Class<?> where, String what, String wayOut) {
        return new Problem(where.getTypeName(), what, wayOut);
    }

    public static Problem of(Method where, String what, String wayOut) {
        return new Problem(name(where), what, wayOut);
    }

    /** Returns the method as {@code com.acme.OrderWorkflow.approve(String)}. */
    public static String name(Method method) {
        return method.getDeclaringClass().getTypeName() + "." + shortName(method);
    }

    /** Returns the method as {@code approve(String)}. */
    public static String shortName(Method method) {
        return Stream.of(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", method.getName() + "(", ")"));
    }

    @Override
    public String toString() {
        return where + " " + what + ". " + wayOut + ".";
    }
}
