package dev.durable.client;

import org.jspecify.annotations.Nullable;

/** The shapes of activity methods for {@code Durable.async(payments::charge, id, amount)}. */
public final class Functions {
    private Functions() {}

    /** A method of 1 parameter. */
    @FunctionalInterface
    public interface Function1<A extends @Nullable Object, R extends @Nullable Object> {
        R apply(A a) throws Exception;
    }

    /** A method of 1 parameter that returns nothing. */
    @FunctionalInterface
    public interface Procedure1<A extends @Nullable Object> {
        void apply(A a) throws Exception;
    }

    /** A method of 2 parameters. */
    @FunctionalInterface
    public interface Function2<A extends @Nullable Object, B extends @Nullable Object, R extends @Nullable Object> {
        R apply(A a, B b) throws Exception;
    }

    /** A method of 2 parameters that returns nothing. */
    @FunctionalInterface
    public interface Procedure2<A extends @Nullable Object, B extends @Nullable Object> {
        void apply(A a, B b) throws Exception;
    }

    /** A method of 3 parameters. */
    @FunctionalInterface
    public interface Function3<
            A extends @Nullable Object,
            B extends @Nullable Object,
            C extends @Nullable Object,
            R extends @Nullable Object> {
        R apply(A a, B b, C c) throws Exception;
    }

    /** A method of 3 parameters that returns nothing. */
    @FunctionalInterface
    public interface Procedure3<A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> {
        void apply(A a, B b, C c) throws Exception;
    }

    /** A method of 4 parameters. */
    @FunctionalInterface
    public interface Function4<
            A extends @Nullable Object,
            B extends @Nullable Object,
            C extends @Nullable Object,
            D extends @Nullable Object,
            R extends @Nullable Object> {
        R apply(A a, B b, C c, D d) throws Exception;
    }

    /** A method of 4 parameters that returns nothing. */
    @FunctionalInterface
    public interface Procedure4<
            A extends @Nullable Object,
            B extends @Nullable Object,
            C extends @Nullable Object,
            D extends @Nullable Object> {
        void apply(A a, B b, C c, D d) throws Exception;
    }

    /** A method of 5 parameters. */
    @FunctionalInterface
    public interface Function5<
            A extends @Nullable Object,
            B extends @Nullable Object,
            C extends @Nullable Object,
            D extends @Nullable Object,
            E extends @Nullable Object,
            R extends @Nullable Object> {
        R apply(A a, B b, C c, D d, E e) throws Exception;
    }

    /** A method of 5 parameters that returns nothing. */
    @FunctionalInterface
    public interface Procedure5<
            A extends @Nullable Object,
            B extends @Nullable Object,
            C extends @Nullable Object,
            D extends @Nullable Object,
            E extends @Nullable Object> {
        void apply(A a, B b, C c, D d, E e) throws Exception;
    }

    /** A method of 6 parameters. */
    @FunctionalInterface
    public interface Function6<
            A extends @Nullable Object,
            B extends @Nullable Object,
            C extends @Nullable Object,
            D extends @Nullable Object,
            E extends @Nullable Object,
            F extends @Nullable Object,
            R extends @Nullable Object> {
        R apply(A a, B b, C c, D d, E e, F f) throws Exception;
    }

    /** A method of 6 parameters that returns nothing. */
    @FunctionalInterface
    public interface Procedure6<
            A extends @Nullable Object,
            B extends @Nullable Object,
            C extends @Nullable Object,
            D extends @Nullable Object,
            E extends @Nullable Object,
            F extends @Nullable Object> {
        void apply(A a, B b, C c, D d, E e, F f) throws Exception;
    }
}
