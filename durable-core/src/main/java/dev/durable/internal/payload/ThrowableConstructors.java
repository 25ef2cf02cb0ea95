package dev.durable.internal.payload;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/**
 * Creates an exception of any class by running only a constructor of a superclass, as Java serialization would. The
 * factory is in every JDK (module jdk.unsupported, kept for serialization libraries), but javac warns of its use, so it
 * is found by its name.
 */
final class ThrowableConstructors {
    private static final ClassValue<Constructor<?>> CONSTRUCTORS = new ClassValue<>() {
        @Override
        protected Constructor<?> computeValue(Class<?> type) {
            return find(type);
        }
    };

    private ThrowableConstructors() {}

    /** Returns the constructor with (message, cause). */
    static Constructor<?> of(Class<? extends Throwable> type) {
        return CONSTRUCTORS.get(type);
    }

    private static Constructor<?> find(Class<?> type) {
        try {
            return of(type, Throwable.class.getConstructor(String.class, Throwable.class));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("Throwable without its constructor", e);
        }
    }

    /** Returns a constructor that makes an object of this type and runs only that constructor of a superclass. */
    static Constructor<?> of(Class<?> type, Constructor<?> superclasses) {
        try {
            Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
            Object instance = factory.getMethod("getReflectionFactory").invoke(null);
            Method find = factory.getMethod("newConstructorForSerialization", Class.class, Constructor.class);
            return (Constructor<?>) find.invoke(instance, type, superclasses);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this Java runtime lacks the module jdk.unsupported", e);
        }
    }
}
