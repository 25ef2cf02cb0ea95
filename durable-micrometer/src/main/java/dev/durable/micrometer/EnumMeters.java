package dev.durable.micrometer;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * Meters by a constant of an enum, made when they are first needed.
 *
 * @param <E> the constants
 * @param <T> the meters of one constant
 */
final class EnumMeters<E extends Enum<E>, T> {
    private final AtomicReferenceArray<T> made;
    private final Function<E, T> maker;

    EnumMeters(Class<E> constants, Function<E, T> maker) {
        this.made = new AtomicReferenceArray<>(constants.getEnumConstants().length);
        this.maker = maker;
    }

    @SuppressWarnings("EnumOrdinal") // The array lives as long as this version of the enum.
    T of(E constant) {
        T known = made.get(constant.ordinal());
        if (known == null) {
            // The registry gives one meter to all its callers.
            known = maker.apply(constant);
            made.set(constant.ordinal(), known);
        }
        return known;
    }

    /** A constant as the value of a tag. */
    static String tag(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
