package dev.durable.internal.declare.type;

import java.lang.reflect.Method;
import java.util.stream.Stream;

/**
 * Recognises classes and methods that Kotlin's compiler generated, without using a class of Kotlin, of which the core
 * knows none.
 */
public final class Kotlin {
    private Kotlin() {}

    /** Returns whether the class was compiled from Kotlin. */
    public static boolean isSourceOf(Class<?> type) {
        return Stream.of(type.getDeclaredAnnotations())
                .anyMatch(annotation -> annotation.annotationType().getName().equals("kotlin.Metadata"));
    }

    /**
     * Returns whether the method's name is one that the compiler made: {@code charge-nc6xbW0} where a parameter is of a
     * value class, {@code stop$shop_main} where it is internal.
     */
    public static boolean isMangled(Method method) {
        String name = method.getName();
        return (name.indexOf('-') >= 0 || name.indexOf('$') >= 0) && isSourceOf(method.getDeclaringClass());
    }

    /** Returns the name in the source of a method whose name may be mangled. */
    public static String nameInSource(Method method) {
        return method.getName().split("[-$]", 2)[0];
    }

    /**
     * Returns whether this is the method that the compiler generates for a reference to a method of another object,
     * {@code payments::charge}.
     */
    public static boolean isReferenceTo(Method target, Class<?> in, String method) {
        return method.endsWith("$" + target.getName()) && isSourceOf(in);
    }
}
