package dev.durable.internal.declare.type;

import dev.durable.internal.text.Thrown;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Invokes methods reflectively with arguments in an array, through method handles that are cached per declaring class.
 */
final class Calls {
    private static final MethodType SHAPE = MethodType.methodType(Object.class, Object.class, Object[].class);

    private static final ClassValue<Map<Method, MethodHandle>> HANDLES = new ClassValue<>() {
        @Override
        protected Map<Method, MethodHandle> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
        }
    };

    private Calls() {}

    /**
     * Calls the method; returns its result or throws its exception, without the wrappers that proxies put around it.
     */
    static @Nullable Object call(Method method, Object target, @Nullable Object[] arguments) throws Throwable {
        if (arguments.length != method.getParameterCount()) {
            throw new IllegalArgumentException(Problem.name(method) + " takes " + method.getParameterCount()
                    + " arguments and was given " + arguments.length + ". Was its signature changed while calls of the"
                    + " old one were waiting? Give the new one another name and keep the old one until they are done.");
        }
        try {
            return handle(method).invokeExact(target, arguments);
        } catch (InvocationTargetException | UndeclaredThrowableException wrapped) {
            throw Proxy.isProxyClass(target.getClass()) ? unwrapped(wrapped) : wrapped;
        }
    }

    /**
     * Returns the exception without wrappers: a proxy's handler often calls by reflection, and may not throw checked
     * exceptions that the interface does not declare.
     */
    private static Throwable unwrapped(Throwable thrown) {
        Throwable cause = Thrown.of(thrown).cause();
        boolean wraps = thrown instanceof InvocationTargetException || thrown instanceof UndeclaredThrowableException;
        return wraps && cause != null ? unwrapped(cause) : thrown;
    }

    private static MethodHandle handle(Method method) {
        return HANDLES.get(method.getDeclaringClass()).computeIfAbsent(method, Calls::find);
    }

    private static MethodHandle find(Method method) {
        try {
            return MethodHandles.lookup()
                    .unreflect(method)
                    .asFixedArity()
                    .asSpreader(Object[].class, method.getParameterCount())
                    .asType(SHAPE);
        } catch (IllegalAccessException closed) {
            throw new IllegalStateException(
                    ShapeProblems.notAccessible(method.getDeclaringClass(), Problem.name(method))
                            .toString(),
                    closed);
        }
    }
}
