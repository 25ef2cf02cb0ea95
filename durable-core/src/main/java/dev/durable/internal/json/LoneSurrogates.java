package dev.durable.internal.json;

/**
 * Escapes unpaired surrogates in JSON text, which UTF-8 can't represent. Java strings may hold one, UTF-8 may not:
 * encoders silently write a question mark in its place. JSON can say it in ASCII, so JSON text is made safe before it
 * leaves for a database.
 *
 * <p>In JSON text a character outside of ASCII can only stand inside a string, so the replacement is valid wherever one
 * is found.
 */
public final class LoneSurrogates {
    private static final String ESCAPE = "\\u";

    private LoneSurrogates() {}

    public static String escape(String json) {
        int first = next(json, 0);
        return first == json.length() ? json : escapeFrom(json, first);
    }

    private static String escapeFrom(String json, int first) {
        StringBuilder escaped = new StringBuilder(json.length() + 16);
        int done = 0;
        for (int at = first; at < json.length(); at = next(json, done)) {
            escaped.append(json, done, at).append(ESCAPE).append(Integer.toHexString(json.charAt(at)));
            done = at + 1;
        }
        return escaped.append(json, done, json.length()).toString();
    }

    /** Where the next one stands; the length of the text if there is none. */
    private static int next(String json, int from) {
        int at = from;
        while (at < json.length()) {
            if (!Character.isSurrogate(json.charAt(at))) {
                at++;
            } else if (Character.charCount(json.codePointAt(at)) == 2) {
                at += 2;
            } else {
                return at;
            }
        }
        return at;
    }
}
