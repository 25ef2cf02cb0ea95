package dev.durable.replay;

import org.jspecify.annotations.Nullable;

/** Throws checked exceptions where the signature names them and the generics can't. */
final class Sneaky {
    private Sneaky() {}

    @SuppressWarnings("unchecked")
    static <X extends Throwable> RuntimeException raise(@Nullable Throwable thrown) throws X {
        throw (X) thrown;
    }
}
