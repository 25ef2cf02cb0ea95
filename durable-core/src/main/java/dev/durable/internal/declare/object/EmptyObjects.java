package dev.durable.internal.declare.object;

import dev.durable.internal.declare.type.Problem;
import dev.durable.internal.declare.type.ShapeProblems;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Optional;

/**
 * Creates proxies and generated subclasses of user types whose constructors never run: the objects behind stubs and
 * recorded lambdas. Every call that can be overridden goes to the handler; what cannot (final methods, fields) meets
 * empty fields.
 *
 * <p>The first subclass of a JVM takes some 70 ms, the next ones 3: registration {@linkplain
 * #prepare prepares} them. They are kept by {@link ClassValue}, so that they go with the user's class.
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
     * A new one.
     *
     * @throws IllegalArgumentException when the type does not allow it
     */
    public static <T> T create(Class<T> type, InvocationHandler handler) {
        return type.cast(MAKERS.get(type).make(handler));
    }

    /** Makes what making takes, and gives the reason where it can't be done. */
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

    /** Makes objects of one type. */
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
