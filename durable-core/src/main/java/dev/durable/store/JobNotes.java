package dev.durable.store;

import org.jspecify.annotations.Nullable;

/** Informing events that travel with a job, as JSON text. What its worker noted and what orders add stand in two lists. */
public final class JobNotes {
    private static final String NONE = "[]";

    private JobNotes() {}

    /** Both arrays as one, in this order; null where there is nothing. */
    public static @Nullable String joined(@Nullable String first, @Nullable String second) {
        if (first == null || first.equals(NONE)) {
            return second;
        }
        return second == null || second.equals(NONE)
                ? first
                : first.substring(0, first.length() - 1) + "," + second.substring(1);
    }

    /** The array with one more event; null adds nothing. */
    public static @Nullable String with(@Nullable String notes, @Nullable String event) {
        return event == null ? notes : joined(notes, "[" + event + "]");
    }
}
