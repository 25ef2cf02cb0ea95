package dev.durable.internal.declare.type;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Implementations of {@link java.lang.reflect.ParameterizedType} and its siblings, for types whose variables were
 * resolved. They equal those of the JDK, which compare by content with any implementation.
 */
final class ResolvedTypes {
    private static final Type[] NONE = {};

    private ResolvedTypes() {}

    /** A type such as {@code Map<String, Order>}. */
    record Parameterized(Class<?> raw, @Nullable Type owner, List<Type> arguments) implements ParameterizedType {

        @Override
        public Type[] getActualTypeArguments() {
            return arguments.toArray(NONE);
        }

        @Override
        public Type getRawType() {
            return raw;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return owner;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ParameterizedType that
                    && raw.equals(that.getRawType())
                    && Objects.equals(owner, that.getOwnerType())
                    && Arrays.equals(getActualTypeArguments(), that.getActualTypeArguments());
        }

        @Override
        public int hashCode() {
            return arguments.hashCode() ^ Objects.hashCode(owner) ^ raw.hashCode();
        }

        @Override
        public String toString() {
            return raw.getTypeName()
                    + arguments.stream().map(Type::getTypeName).collect(Collectors.joining(", ", "<", ">"));
        }
    }

    /** A type such as {@code List<Order>[]}. */
    record ArrayOf(Type component) implements GenericArrayType {

        @Override
        public Type getGenericComponentType() {
            return component;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof GenericArrayType that && component.equals(that.getGenericComponentType());
        }

        @Override
        public int hashCode() {
            return component.hashCode();
        }

        @Override
        public String toString() {
            return component.getTypeName() + "[]";
        }
    }

    /** A type such as {@code ? extends Order}. */
    record Wildcard(List<Type> upper, List<Type> lower) implements WildcardType {

        @Override
        public Type[] getUpperBounds() {
            return upper.toArray(NONE);
        }

        @Override
        public Type[] getLowerBounds() {
            return lower.toArray(NONE);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof WildcardType that
                    && Arrays.equals(getUpperBounds(), that.getUpperBounds())
                    && Arrays.equals(getLowerBounds(), that.getLowerBounds());
        }

        @Override
        public int hashCode() {
            return lower.hashCode() ^ upper.hashCode();
        }

        @Override
        public String toString() {
            if (!lower.isEmpty()) {
                return "? super " + lower.getFirst().getTypeName();
            }
            return upper.getFirst() == Object.class
                    ? "?"
                    : "? extends " + upper.getFirst().getTypeName();
        }
    }
}
