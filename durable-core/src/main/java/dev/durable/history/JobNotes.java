package dev.durable.history;

import org.jspecify.annotations.Nullable;

/**
 * Joins and extends the informing events that travel with a job, as JSON text. The notes of its worker and those of
 * orders are two lists.
 */
public final class JobNotes {
    private static final String NONE = "[]";

    private JobNotes() {}

    /** Both arrays as one, in this order; null if both are empty. A text that is no array counts as an element. */
    public static @Nullable String joined(@Nullable String first, @Nullable String second) {
        if (first == null || first.equals(NONE)) {
            return second;
        }
        if (second == null || second.equals(NONE)) {
            return first;
        }
        String before = elements(first);
        String after = elements(second);
        return "[" + before + (before.isEmpty() || after.isEmpty() ? "" : ",") + after + "]";
    }

    private static String elements(String notes) {
        String text = notes.strip();
        return text.startsWith("[") ? text.substring(1, text.length() - 1).strip() : text;
    }

    /** The array with one more event; null adds nothing. */
    public static @Nullable String with(@Nullable String notes, @Nullable String event) {
        return event == null ? notes : joined(notes, "[" + event + "]");
    }
}
