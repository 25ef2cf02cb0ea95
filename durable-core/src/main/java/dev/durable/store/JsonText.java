package dev.durable.store;

import java.util.Locale;

/** Quotes text as JSON, for the few values that stores write themselves. */
final class JsonText {
    private JsonText() {}

    /** The text in quotes, escaped so that every JSON reader and database takes it, lone surrogates and NUL too. */
    static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                json.append('\\').append((char) c);
            } else if (c < 0x20 || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                json.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                json.append((char) c);
            }
        });
        return json.append('"').toString();
    }
}
