package dev.durable.internal.declare.object;

import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.declare.type.ShapeProblems;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Optional;

/**
 * Creates proxies and generated subclasses of user types whose constructors never run: the objects behind stubs and
 * recorded lambdas. Every call that can be overridden goes to the handler; final methods run as they are and find empty
 * fields.
 *
 * <p>The first subclass of a JVM takes some 70 ms, the next ones 3: registration {@linkplain #prepare prepares} them. A
 * {@link ClassValue} keeps them, so that they are unloaded with the user's class.
 */
public final class EmptyObjects {
    private static final ClassValue<Maker> MAKERS = new ClassValue<>() {
        @Override
        protected Maker computeValue(Class<?> type) {
            return makerOf(type);
        }
    };

    private EmptyObjects() {}

    /**
     * Creates an object.
     *
     * @throws IllegalArgumentException when no object of the type can be made
     */
    public static <T> T create(Class<T> type, InvocationHandler handler) {
        return type.cast(MAKERS.get(type).make(handler));
    }

    /** Generates the class that objects of the type need; returns the reason where that can't be done. */
    public static Optional<Problem> prepare(Class<?> type) {
        return MAKERS.get(type) instanceof Refusal refusal ? Optional.of(refusal.problem()) : Optional.empty();
    }

    private static Maker makerOf(Class<?> type) {
        try {
            if (type.isSealed()) {
                throw new NotSubclassable(ShapeProblems.sealed(type));
            }
            if (type.isInterface()) {
                return new ProxyOf(type);
            }
            if (Modifier.isFinal(type.getModifiers())) {
                throw new NotSubclassable(ShapeProblems.finalClass(type));
            }
            return EmptySubclass.of(type);
        } catch (NotSubclassable e) {
            return new Refusal(e.problem());
        }
    }

    sealed interface Maker permits ProxyOf, EmptySubclass, Refusal {
        Object make(InvocationHandler handler);
    }

    private record ProxyOf(Class<?> type) implements Maker {
        @Override
        public Object make(InvocationHandler handler) {
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
        }
    }

    private record Refusal(Problem problem) implements Maker {
        @Override
        public Object make(InvocationHandler handler) {
            throw new IllegalArgumentException(problem.toString());
        }
    }
}
