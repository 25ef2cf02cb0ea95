package dev.durable.internal.declare.object;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values that a recorded call returns: unlikely ones, so that a lambda which computes with the result is
 * recognised. Numbers and booleans have two values, of opposite signs: {@code Math.max(w.count(), 0)} leaves one of
 * them unchanged, {@code !w.done()} neither. For other types the value is null, and a lambda that uses it throws.
 */
public final class SentinelValues {
    public static final SentinelValues FIRST = new SentinelValues(true, 1);
    public static final SentinelValues SECOND = new SentinelValues(false, -1);

    private final Map<Class<?>, Object> values;

    private SentinelValues(boolean answer, int sign) {
        values = Map.ofEntries(
                Map.entry(boolean.class, answer),
                Map.entry(Boolean.class, answer),
                Map.entry(byte.class, (byte) (sign * 93)),
                Map.entry(Byte.class, (byte) (sign * 93)),
                Map.entry(short.class, (short) (sign * 21_397)),
                Map.entry(Short.class, (short) (sign * 21_397)),
                Map.entry(char.class, (char) (0xE6A1 + sign)),
                Map.entry(Character.class, (char) (0xE6A1 + sign)),
                Map.entry(int.class, sign * 1_592_653_589),
                Map.entry(Integer.class, sign * 1_592_653_589),
                Map.entry(long.class, sign * 5_358_979_323_846_264_338L),
                Map.entry(Long.class, sign * 5_358_979_323_846_264_338L),
                Map.entry(float.class, sign * 3.2384627e17f),
                Map.entry(Float.class, sign * 3.2384627e17f),
                Map.entry(double.class, sign * 4.338327950288419e107),
                Map.entry(Double.class, sign * 4.338327950288419e107),
                // An instance of its own; trimming it or changing its case would change it too.
                Map.entry(String.class, " The Result " + sign + " "));
    }

    /** Returns the value for a return type. */
    @Nullable
    public Object of(Class<?> type) {
        return values.get(type);
    }

    /** Returns whether a lambda that returned this left the value for the type unchanged. Boxes may be made anew. */
    @SuppressWarnings("ReferenceEquality")
    public // a string is recognised as the very one that was given
    boolean isUntouched(Class<?> type, @Nullable Object returned) {
        Object sentinel = values.get(type);
        return type == String.class || sentinel == null ? returned == sentinel : sentinel.equals(returned);
    }

    /** Returns whether one value is not enough to recognise a computation. */
    public static boolean needsBoth(Class<?> type) {
        return type != String.class && FIRST.values.containsKey(type);
    }
}
