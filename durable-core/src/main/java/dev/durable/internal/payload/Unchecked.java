package dev.durable.internal.payload;

import org.jspecify.annotations.Nullable;

/**
 * Throws a checked exception where the compiler does not expect it, so that an exception of user code reaches its
 * caller unchanged.
 */
public final class Unchecked {
    private Unchecked() {}

    @SuppressWarnings("unchecked")
    public static <X extends Throwable> RuntimeException raise(@Nullable Throwable thrown) throws X {
        throw (X) thrown;
    }
}
