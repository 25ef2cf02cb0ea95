package dev.durable.internal.declare;

import dev.durable.UsageException;
import dev.durable.internal.declare.object.EmptyObjects;
import dev.durable.internal.declare.object.ObjectMethods;
import dev.durable.internal.declare.type.MethodTable;
import dev.durable.internal.declare.type.Problem;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * Creates stubs of activity types, which hand every call to a {@link StubCall}. Default methods run in the workflow
 * itself.
 */
public final class Stubs {
    private Stubs() {}

    /**
     * Creates a stub. Exceptions of the call pass through unchanged; a null result where a primitive is declared
     * becomes its zero.
     */
    public static Object create(ActivityType type, StubCall call) {
        return EmptyObjects.create(type.type(), new Stub(type, call));
    }

    private record Stub(ActivityType type, StubCall call) implements InvocationHandler {
        private static final @Nullable Object[] NONE = {};

        @Override
        public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] given)
                throws Throwable {
            @Nullable Object[] arguments = given == null ? NONE : given;
            ActivityMethod activity = type.find(method);
            if (activity != null) {
                Object result = call.call(activity, arguments);
                return result == null ? zero(method.getReturnType()) : result;
            }
            if (MethodTable.isOfObject(method)) {
                return ObjectMethods.call(self, method, arguments, "stub of " + type.name());
            }
            if (method.isDefault()) {
                return callDefault(self, method, arguments);
            }
            throw new UsageException(Problem.name(method) + " was called on a stub and is no activity, since it is"
                    + " not public. A stub has no fields to run it on: make it public, or keep it inside.");
        }

        /** Runs a default method on the stub, so that the calls it makes come here. */
        private static @Nullable Object callDefault(Object self, Method method, @Nullable Object[] arguments)
                throws Throwable {
            Class<?> declaring = method.getDeclaringClass();
            MethodHandle special;
            try {
                special = MethodHandles.privateLookupIn(declaring, MethodHandles.lookup())
                        .unreflectSpecial(method, declaring);
            } catch (IllegalAccessException closed) {
                if (!Proxy.isProxyClass(self.getClass())) {
                    throw closed;
                }
                // A public interface of a module that is not opened is reached in the way that proxies have for it.
                return InvocationHandler.invokeDefault(self, method, arguments);
            }
            return special.bindTo(self).asFixedArity().invokeWithArguments(arguments);
        }

        /**
         * Returns the zero of a primitive type: generated code unboxes the result, and a call that is only captured has
         * none.
         */
        private static @Nullable Object zero(Class<?> type) {
            return type.isPrimitive() && type != void.class ? Array.get(Array.newInstance(type, 1), 0) : null;
        }
    }
}
