package dev.durable.payload;

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
 * Makes an object by the constructor that takes its properties, as Jackson does, through a handle that is kept. Jackson's
 * adapts itself to the arguments at each call ({@code invokeWithArguments}), which is a tenth of a replay.
 */
final class ConstructorCall extends StdValueInstantiator {
    private static final MethodType SHAPE = MethodType.methodType(Object.class, Object[].class);

    private final AnnotatedConstructor constructor;
    private volatile @Nullable MethodHandle handle;

    private ConstructorCall(StdValueInstantiator jacksons, AnnotatedConstructor constructor) {
        super(jacksons);
        this.constructor = constructor;
    }

    /** Puts one wherever an object is made by a constructor with properties. */
    static SimpleValueInstantiators everywhere() {
        return new SimpleValueInstantiators() {
            @Override
            public ValueInstantiator modifyValueInstantiator(
                    DeserializationConfig config, BeanDescription.Supplier type, ValueInstantiator instantiator) {
                return instantiator.getClass() == StdValueInstantiator.class
                                && instantiator.getWithArgsCreator() instanceof AnnotatedConstructor constructor
                        ? new ConstructorCall((StdValueInstantiator) instantiator, constructor)
                        : instantiator;
            }
        };
    }

    @Override
    public Object createFromObjectWith(DeserializationContext context, @Nullable Object[] arguments) {
        try {
            return (Object) handle().invokeExact(arguments);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            return context.handleInstantiationProblem(_valueClass, arguments, rewrapCtorProblem(context, e));
        }
    }

    /** Made late: Jackson makes the constructor accessible after it has asked for who calls it. */
    private MethodHandle handle() throws ReflectiveOperationException {
        MethodHandle known = handle;
        if (known == null) {
            known = find();
            handle = known;
        }
        return known;
    }

    private MethodHandle find() throws ReflectiveOperationException {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            return lookup.unreflectConstructor(constructor.getAnnotated())
                    .asFixedArity()
                    .asSpreader(Object[].class, constructor.getParameterCount())
                    .asType(SHAPE);
        } catch (IllegalAccessException closed) { // to us; a module may be open to Jackson alone
            return lookup.bind(constructor, "call", SHAPE);
        }
    }
}
