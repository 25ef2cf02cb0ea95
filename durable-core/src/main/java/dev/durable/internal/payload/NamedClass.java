package dev.durable.internal.payload;

import dev.durable.store.Bounds;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The class that a name in a row or a payload stands for: one that the application has declared, or none. It is loaded to
 * find that out and not initialised, so that whoever writes a name can't run code with it. No other code makes a class of a
 * name that comes from data (a test of the architecture watches over that).
 */
public final class NamedClass {
    private NamedClass() {}

    /**
     * Finds one. Never throws for a name, whatever it is.
     *
     * @param name as {@link Class#getName} gives it
     * @param loader where it is looked for
     * @param declared whether the application has declared that class; must not initialise it
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

    /** No array, and nothing that a loader would take for a path, or keep a long lock's name for. */
    private static boolean mayBeOne(String name) {
        return !name.isEmpty()
                && name.length() <= Bounds.CLASS_NAME
                && name.chars().noneMatch(c -> c <= ' ' || c == '/' || c == '\\' || c == '[' || c == ';' || c == 0x7F);
    }
}
