package dev.durable.internal.payload;

import dev.durable.internal.text.Bounds;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the class of a name in a row or a payload, if the application has declared that class. It is loaded to check
 * that and not initialised, so that a name in data can't run code. No other code finds a class by a name that comes
 * from data (a test of the architecture checks that).
 */
public final class NamedClass {
    private NamedClass() {}

    /**
     * Finds a class. Never throws because of the name.
     *
     * @param name as {@link Class#getName} gives it
     * @param loader the class loader that finds it
     * @param declared returns whether the application has declared that class; must not initialise it
     * @return null where there is no such class, or it is not declared
     */
    public static @Nullable Class<?> find(String name, ClassLoader loader, Predicate<? super Class<?>> declared) {
        if (!mayBeOne(name)) {
            return null;
        }
        try {
            Class<?> found = Class.forName(name, false, loader);
            return declared.test(found) ? found : null;
        } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
            return null; // loaders of containers throw other things, too
        }
    }

    /**
     * Returns whether the name may be a class: no array, no path for a loader, and not so long that a loader would keep
     * a lock for it.
     */
    private static boolean mayBeOne(String name) {
        return !name.isEmpty()
                && name.length() <= Bounds.CLASS_NAME
                && name.chars().noneMatch(c -> c <= ' ' || c == '/' || c == '\\' || c == '[' || c == ';' || c == 0x7F);
    }
}
