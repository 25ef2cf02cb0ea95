package dev.durable.internal.declare.type;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A method whose arguments and result are written as JSON: a run method, signal, query or activity.
 *
 * @param name its name in errors: {@code OrderWorkflow.run}, {@code Payments.charge}
 * @param method the method to call
 * @param parameterTypes generic types, resolved against the concrete class
 * @param returnType generic type, resolved; {@code void.class} for nothing
 * @param named the exception types that its signature names ({@code throws}, {@code doNotRetry}), which come back as
 *     instances of their own class; {@code Exception} and other types as wide do not count
 */
public record MethodSpec(
        String name,
        Method method,
        List<Type> parameterTypes,
        Type returnType,
        List<Class<? extends Throwable>> named) {

    public MethodSpec {
        parameterTypes = List.copyOf(parameterTypes);
        named = List.copyOf(named);
    }

    /** Calls the method; throws its exception without a wrapper. */
    public @Nullable Object invoke(Object target, @Nullable Object[] arguments) throws Throwable {
        return Calls.call(method, target, arguments);
    }
}
