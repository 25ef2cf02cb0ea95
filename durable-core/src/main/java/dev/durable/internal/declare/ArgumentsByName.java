package dev.durable.internal.declare;

import dev.durable.history.Payload;
import dev.durable.internal.declare.type.GenericTypes;
import dev.durable.internal.declare.type.MethodSpec;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks the arguments of a call by name as the compiler checks those of a call by type: as many as the method takes, each
 * of its parameter's type. A number is widened where Java would do so: an Integer for a {@code long}.
 */
public final class ArgumentsByName {
    private static final List<Class<?>> FROM_NARROW_TO_WIDE =
            List.of(Byte.class, Short.class, Integer.class, Long.class, Float.class, Double.class);

    private ArgumentsByName() {}

    /**
     * Returns the arguments as the method takes them.
     *
     * @throws IllegalArgumentException with the parameters of the method and the arguments that it was given
     */
    public static @Nullable Object[] fit(MethodSpec method, @Nullable Object[] given) {
        List<Class<?>> taken = method.parameterTypes().stream()
                .<Class<?>>map(GenericTypes::erase)
                .toList();
        if (taken.size() != given.length) {
            throw refused(method, "was given " + given.length);
        }
        @Nullable Object[] fitting = new @Nullable Object[given.length];
        for (int i = 0; i < given.length; i++) {
            fitting[i] = fit(method, i, taken.get(i), given[i]);
        }
        return fitting;
    }

    private static @Nullable Object fit(MethodSpec method, int index, Class<?> taken, @Nullable Object given) {
        if (given == null) {
            if (taken.isPrimitive()) {
                throw refused(method, "argument " + (index + 1) + " is null, which no " + taken + " can be");
            }
            return null;
        }
        Class<?> type = MethodType.methodType(taken).wrap().returnType();
        if (type.isInstance(given) || given instanceof Payload) {
            return given;
        }
        int from = FROM_NARROW_TO_WIDE.indexOf(given.getClass());
        if (from >= 0 && from < FROM_NARROW_TO_WIDE.indexOf(type)) {
            return widened((Number) given, type);
        }
        throw refused(
                method,
                "argument " + (index + 1) + " is of type " + given.getClass().getTypeName());
    }

    private static Object widened(Number given, Class<?> type) {
        if (type == Short.class) {
            return given.shortValue();
        }
        if (type == Integer.class) {
            return given.intValue();
        }
        if (type == Long.class) {
            return given.longValue();
        }
        return type == Float.class ? (Object) given.floatValue() : (Object) given.doubleValue();
    }

    private static IllegalArgumentException refused(MethodSpec method, String given) {
        int count = method.parameterTypes().size();
        String types = method.parameterTypes().stream()
                .map(type -> type.getTypeName().replaceAll("java\\.(lang|util|time|math)\\.", ""))
                .collect(Collectors.joining(", ", " (", ")"));
        return new IllegalArgumentException(method.name() + " takes "
                + (count == 0 ? "no arguments" : count == 1 ? "1 argument" + types : count + " arguments" + types)
                + ", and " + given);
    }
}
