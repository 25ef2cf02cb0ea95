package dev.durable.store.postgres;

/** Replaces characters that a text column can't hold, in text that is only shown to people. */
final class Text {
    private Text() {}

    /** NUL, which PostgreSQL refuses, as its picture; unpaired surrogates, which UTF-8 can't say, as question marks. */
    static String storable(String text) {
        return text.replace('\0', '\u2400');
    }
}
