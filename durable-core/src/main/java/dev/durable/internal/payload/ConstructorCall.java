package dev.durable.internal.payload;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.std.StdValueInstantiator;
import tools.jackson.databind.introspect.AnnotatedConstructor;
import tools.jackson.databind.module.SimpleValueInstantiators;

/**
 * Creates an object through its constructor of properties as Jackson does, by a method handle that is cached: Jackson's
 * own adapts itself to the arguments at each call ({@code invokeWithArguments}), a tenth of a replay
 * (docs/decisions/0098). Where the constructor is not accessible to this library, Jackson's own call stays, and with it
 * its error.
 */
final class ConstructorCall extends StdValueInstantiator {
    private final MethodHandle handle;

    private ConstructorCall(StdValueInstantiator jacksons, MethodHandle handle) {
        super(jacksons);
        this.handle = handle;
    }

    /** Installs the call wherever an object is made by a constructor with properties. */
    static SimpleValueInstantiators everywhere() {
        return new SimpleValueInstantiators() {
            @Override
            public ValueInstantiator modifyValueInstantiator(
                    DeserializationConfig config, BeanDescription.Supplier type, ValueInstantiator instantiator) {
                return instantiator.getClass() == StdValueInstantiator.class
                                && instantiator.getWithArgsCreator() instanceof AnnotatedConstructor constructor
                        ? inPlaceOf((StdValueInstantiator) instantiator, constructor)
                        : instantiator;
            }
        };
    }

    private static StdValueInstantiator inPlaceOf(StdValueInstantiator jacksons, AnnotatedConstructor constructor) {
        try {
            MethodHandle handle = MethodHandles.lookup()
                    .unreflectConstructor(constructor.getAnnotated())
                    .asFixedArity()
                    .asSpreader(Object[].class, constructor.getParameterCount())
                    .asType(MethodType.methodType(Object.class, Object[].class));
            return new ConstructorCall(jacksons, handle);
        } catch (IllegalAccessException closed) {
            return jacksons;
        }
    }

    /**
     * Creates the object; an exception of the constructor is reported with the path to the value, where Jackson lets a
     * bare Throwable pass.
     */
    @Override
    public Object createFromObjectWith(DeserializationContext context, @Nullable Object[] arguments) {
        try {
            return (Object) handle.invokeExact(arguments);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            return context.handleInstantiationProblem(_valueClass, arguments, rewrapCtorProblem(context, e));
        }
    }
}
