package dev.durable.internal.declare.object;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Runs a default method of an interface on an empty object, so that the calls it makes go to the object's handler. */
public final class DefaultMethods {
    private DefaultMethods() {}

    public static @Nullable Object call(Object self, Method method, @Nullable Object[] arguments) throws Throwable {
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
}
