package dev.durable.internal.declare.object;

import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.isFinalizer;
import static net.bytebuddy.matcher.ElementMatchers.isSynthetic;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.not;

import dev.durable.internal.declare.type.ShapeProblems;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.dynamic.scaffold.subclass.ConstructorStrategy;
import net.bytebuddy.implementation.InvocationHandlerAdapter;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * Generates a subclass of a user's class in that class's package and loader, so that package-private classes and
 * methods are accessible.
 *
 * @param constructor makes an instance and runs nothing
 * @param handler the field that takes the handler
 */
record EmptySubclass(Constructor<?> constructor, Field handler) implements EmptyObjects.Maker {
    private static final String HANDLER = "durable$handler";

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
            Field handler = subclass.getDeclaredField(HANDLER);
            handler.setAccessible(true);
            return new EmptySubclass(withoutConstructor(subclass), handler);
        } catch (IllegalAccessException closed) {
            throw new NotSubclassable(ShapeProblems.notOpen(type), closed);
        } catch (ReflectiveOperationException | LinkageError | IllegalStateException | SecurityException e) {
            throw new NotSubclassable(ShapeProblems.notGenerated(type, e), e);
        }
    }

    /** Named at random by ByteBuddy: two threads may get here at once, and the second name would collide. */
    private static Class<?> generate(Class<?> type, MethodHandles.Lookup lookup) {
        return new ByteBuddy()
                .ignore(isSynthetic())
                .subclass(type, ConstructorStrategy.Default.NO_CONSTRUCTORS)
                .defineField(HANDLER, InvocationHandler.class, Visibility.PUBLIC)
                .method(handed())
                .intercept(InvocationHandlerAdapter.toField(HANDLER))
                .method(isFinalizer().and(not(isDeclaredBy(Object.class))))
                .intercept(StubMethod.INSTANCE)
                .make()
                .load(type.getClassLoader(), ClassLoadingStrategy.UsingLookup.of(lookup))
                .getLoaded();
    }

    private static ElementMatcher<MethodDescription> handed() {
        ElementMatcher.Junction<MethodDescription> ofEveryObject =
                named("toString").or(named("hashCode")).or(named("equals"));
        return ofEveryObject.or(not(isDeclaredBy(Object.class))).and(not(isFinalizer()));
    }

    /**
     * What deserialization uses: an instance for which only the constructor of {@code Object} ran. Called by name, since
     * the compiler warns of {@code sun.reflect}, which is exported and supported ({@code jdk.unsupported}).
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
            throw new IllegalStateException(e);
        }
    }
}
