package dev.durable.internal.replay.coroutine;

import org.jspecify.annotations.Nullable;

/** Throws a checked exception without declaring it, where a signature names it and generics can't. */
public final class Unchecked {
    private Unchecked() {}

    @SuppressWarnings("unchecked")
    public static <X extends Throwable> RuntimeException raise(@Nullable Throwable thrown) throws X {
        throw (X) thrown;
    }
}
