package dev.durable.internal.declare.object;

import dev.durable.internal.declare.type.ShapeProblems;
import dev.durable.internal.text.Thrown;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Makes objects of a generated subclass of a user's class. The subclass is in that class's package and loader, so that
 * package-private classes and methods are accessible.
 *
 * @param constructor makes an instance without running a constructor of the user's class
 * @param handler the field that takes the handler
 */
record EmptySubclass(Constructor<?> constructor, Field handler) implements EmptyObjects.Maker {
    @Override
    public Object make(InvocationHandler target) {
        try {
            Object empty = constructor.newInstance();
            handler.set(empty, target);
            return empty;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no instance of generated " + constructor.getDeclaringClass(), e);
        }
    }

    static EmptySubclass of(Class<?> type) throws NotSubclassable {
        try {
            Class<?> subclass = generate(type, MethodHandles.privateLookupIn(type, MethodHandles.lookup()));
            return new EmptySubclass(withoutConstructor(subclass), field(subclass, SubclassWriter.HANDLER));
        } catch (IllegalAccessException closed) {
            throw new NotSubclassable(ShapeProblems.notOpen(type), closed);
        } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
            throw new NotSubclassable(ShapeProblems.notGenerated(type, e), e);
        }
    }

    /**
     * Generates the subclass, with a random name: two threads may get here at once, or two copies of Durable that share
     * the user's class.
     */
    private static Class<?> generate(Class<?> type, MethodHandles.Lookup lookup) throws ReflectiveOperationException {
        String name = type.getName() + "$$Durable$"
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
        List<Overridden> methods = Overridden.of(type);
        Class<?> subclass = lookup.defineClass(SubclassWriter.write(name, type, methods));
        field(subclass, SubclassWriter.METHODS)
                .set(null, methods.stream().map(Overridden::method).toArray(Method[]::new));
        return subclass;
    }

    private static Field field(Class<?> subclass, String name) throws NoSuchFieldException {
        Field field = subclass.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /**
     * Returns a constructor as deserialization uses it, which runs only the constructor of {@code Object}. It is called
     * by name, since the compiler warns of {@code sun.reflect}, which is exported and supported ({@code
     * jdk.unsupported}).
     */
    private static Constructor<?> withoutConstructor(Class<?> subclass) throws ReflectiveOperationException {
        Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodHandle get = lookup.findStatic(factory, "getReflectionFactory", MethodType.methodType(factory));
        MethodHandle make = lookup.findVirtual(
                factory,
                "newConstructorForSerialization",
                MethodType.methodType(Constructor.class, Class.class, Constructor.class));
        try {
            return (Constructor<?>) make.invoke(get.invoke(), subclass, Object.class.getDeclaredConstructor());
        } catch (ReflectiveOperationException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(Thrown.of(e).text(), e);
        }
    }
}
