package dev.durable.internal.payload;

import org.jspecify.annotations.Nullable;

/** Throws a checked exception where the compiler does not expect it: what user code threw reaches its caller as it is. */
public final class Unchecked {
    private Unchecked() {}

    @SuppressWarnings("unchecked")
    public static <X extends Throwable> RuntimeException raise(@Nullable Throwable thrown) throws X {
        throw (X) thrown;
    }
}
