package dev.durable.internal.declare.type;

import dev.durable.EncodedValues;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A method whose arguments and result are written as JSON: a run method, signal, query, update or activity.
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

    /** The parameters of the run method of any workflow type. */
    static final List<Type> OF_ANY_TYPE = List.of(EncodedValues.class);

    /** The parameters of a handler of any name. */
    static final List<Type> OF_ANY_NAME = List.of(String.class, EncodedValues.class);

    public MethodSpec {
        parameterTypes = List.copyOf(parameterTypes);
        named = List.copyOf(named);
    }

    /**
     * Returns whether it handles messages of any name: it gets the name and the values as they were sent. No other method
     * may take {@link EncodedValues}.
     */
    public boolean isOfAnyName() {
        return parameterTypes.equals(OF_ANY_NAME);
    }

    /** Returns whether it runs workflows of any type, and gets the values as they were sent. */
    public boolean isOfAnyType() {
        return parameterTypes.equals(OF_ANY_TYPE);
    }

    /** Returns a method without parameters that stands for its result, where only that is declared. */
    public MethodSpec withoutParameters() {
        return new MethodSpec(name, method, List.of(), returnType, named);
    }

    /** Calls the method; throws its exception without a wrapper. */
    public @Nullable Object invoke(Object target, @Nullable Object[] arguments) throws Throwable {
        return Calls.call(method, target, arguments);
    }
}
