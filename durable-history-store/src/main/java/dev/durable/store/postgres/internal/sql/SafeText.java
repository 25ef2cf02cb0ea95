package dev.durable.store.postgres.internal.sql;

/** Replaces characters that a text column can't hold, in text that is only shown to people. */
public final class SafeText {
    private SafeText() {}

    /**
     * Replaces NUL, which PostgreSQL refuses, by its picture, and unpaired surrogates, which UTF-8 can't encode, by
     * question marks.
     */
    public static String storable(String text) {
        return text.replace('\0', '\u2400');
    }
}
