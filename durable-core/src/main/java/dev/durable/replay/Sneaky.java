package dev.durable.replay;

import org.jspecify.annotations.Nullable;

/** Throws a checked exception without declaring it, where a signature names it and generics can't. */
final class Sneaky {
    private Sneaky() {}

    @SuppressWarnings("unchecked")
    static <X extends Throwable> RuntimeException raise(@Nullable Throwable thrown) throws X {
        throw (X) thrown;
    }
}
