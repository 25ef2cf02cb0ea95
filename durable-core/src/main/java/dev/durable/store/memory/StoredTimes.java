package dev.durable.store.memory;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Compares instants of which each may be null, as SQL's {@code least} and {@code greatest} do. */
final class StoredTimes {
    private StoredTimes() {}

    static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        return a == null ? b : b == null || a.isBefore(b) ? a : b;
    }

    static Instant latest(Instant a, @Nullable Instant b, @Nullable Instant c) {
        return later(later(a, b), c);
    }

    private static Instant later(Instant a, @Nullable Instant b) {
        return b == null || a.isAfter(b) ? a : b;
    }
}
