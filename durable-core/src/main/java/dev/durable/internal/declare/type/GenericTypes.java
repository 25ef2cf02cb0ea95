package dev.durable.internal.declare.type;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the type variables of a class's supertypes in that class: for {@code Orders extends Repository<Order>},
 * {@code List<T>} in {@code Repository} is {@code List<Order>}. Variables that no subclass binds stay.
 */
public final class GenericTypes {
    private final Map<TypeVariable<?>, Type> bindings = new HashMap<>();

    GenericTypes(Class<?> concrete) {
        bindSupertypes(concrete);
    }

    /** Returns the type with every bound variable replaced. */
    Type resolve(Type type) {
        return switch (type) {
            case TypeVariable<?> variable -> bindings.getOrDefault(variable, variable);
            case ParameterizedType generic ->
                new ResolvedTypes.Parameterized(
                        erase(generic), generic.getOwnerType(), resolve(generic.getActualTypeArguments()));
            case GenericArrayType array -> arrayOf(resolve(array.getGenericComponentType()));
            case WildcardType wildcard ->
                new ResolvedTypes.Wildcard(resolve(wildcard.getUpperBounds()), resolve(wildcard.getLowerBounds()));
            default -> type;
        };
    }

    private List<Type> resolve(Type[] types) {
        return Stream.of(types).map(this::resolve).toList();
    }

    private static Type arrayOf(Type component) {
        return component instanceof Class<?> plain ? plain.arrayType() : new ResolvedTypes.ArrayOf(component);
    }

    private void bindSupertypes(Class<?> type) {
        bind(type.getGenericSuperclass());
        for (Type parent : type.getGenericInterfaces()) {
            bind(parent);
        }
    }

    /**
     * Binds variables top down, so that those bound by the subclass are known when the supertype binds those of its own
     * supertypes.
     */
    private void bind(@Nullable Type supertype) {
        if (supertype == null) {
            return;
        }
        Class<?> raw = erase(supertype);
        if (supertype instanceof ParameterizedType generic) {
            TypeVariable<?>[] variables = raw.getTypeParameters();
            for (int i = 0; i < variables.length; i++) {
                bindings.put(variables[i], resolve(generic.getActualTypeArguments()[i]));
            }
        }
        bindSupertypes(raw);
    }

    /** Returns the class that stands for a type at run time. */
    public static Class<?> erase(Type type) {
        return switch (type) {
            case Class<?> plain -> plain;
            case ParameterizedType generic -> erase(generic.getRawType());
            case GenericArrayType array ->
                erase(array.getGenericComponentType()).arrayType();
            case TypeVariable<?> variable -> erase(variable.getBounds()[0]);
            case WildcardType wildcard -> erase(wildcard.getUpperBounds()[0]);
            default -> throw new IllegalArgumentException("a type of an unknown kind: " + type);
        };
    }

    /** Returns the first variable in the type that no class binds. */
    public static Optional<TypeVariable<?>> openVariable(Type type) {
        return type instanceof TypeVariable<?> variable
                ? Optional.of(variable)
                : parts(type)
                        .map(GenericTypes::openVariable)
                        .flatMap(Optional::stream)
                        .findFirst();
    }

    /** Returns the parts of a type: its arguments, its component, its bounds. */
    static Stream<Type> parts(Type type) {
        return switch (type) {
            case Class<?> plain when plain.isArray() -> Stream.of(Objects.requireNonNull(plain.getComponentType()));
            case ParameterizedType generic -> Stream.of(generic.getActualTypeArguments());
            case GenericArrayType array -> Stream.of(array.getGenericComponentType());
            case WildcardType wildcard ->
                Stream.concat(Stream.of(wildcard.getUpperBounds()), Stream.of(wildcard.getLowerBounds()));
            default -> Stream.empty();
        };
    }
}
