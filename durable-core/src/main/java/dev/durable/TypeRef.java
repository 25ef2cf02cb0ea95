package dev.durable;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * A generic type where a class is not enough: {@code new TypeRef<List<Receipt>>() {}}.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {
    private final Type type;

    protected TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType parameterized)
                || parameterized.getRawType() != TypeRef.class) {
            throw new IllegalArgumentException(
                    "TypeRef needs its type written out: new TypeRef<List<Receipt>>() {}, as a direct subclass");
        }
        this.type = parameterized.getActualTypeArguments()[0];
    }

    /** The full generic type. */
    public final Type type() {
        return type;
    }

    @Override
    public final String toString() {
        return type.getTypeName();
    }
}
