package dev.durable.internal.payload;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/**
 * Creates an exception of any class by running only the constructor of Throwable, as Java serialization would. The
 * factory is in every JDK (module jdk.unsupported, kept for serialization libraries), but javac warns of its name, so
 * it is found by it.
 */
final class ThrowableConstructors {
    private static final ClassValue<Constructor<?>> CONSTRUCTORS = new ClassValue<>() {
        @Override
        protected Constructor<?> computeValue(Class<?> type) {
            return find(type);
        }
    };

    private ThrowableConstructors() {}

    /** A constructor with (message, cause). */
    static Constructor<?> of(Class<? extends Throwable> type) {
        return CONSTRUCTORS.get(type);
    }

    private static Constructor<?> find(Class<?> type) {
        try {
            Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
            Object instance = factory.getMethod("getReflectionFactory").invoke(null);
            Method find = factory.getMethod("newConstructorForSerialization", Class.class, Constructor.class);
            Constructor<Throwable> throwables = Throwable.class.getConstructor(String.class, Throwable.class);
            return (Constructor<?>) find.invoke(instance, type, throwables);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Java runtime lacks the module jdk.unsupported", e);
        }
    }
}
