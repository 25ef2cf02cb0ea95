package dev.durable.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes valid JSON text apart into the elements of an array or the members of an object, each as its text. */
final class JsonParts {
    private final String text;
    private int at;

    private JsonParts(String text) {
        this.text = text;
    }

    /** The elements of an array; none of any other value. */
    static List<String> elements(String array) {
        JsonParts in = new JsonParts(array);
        List<String> found = new ArrayList<>();
        for (char c = in.enter('['); c != ']'; c = in.next()) {
            found.add(in.value());
        }
        return found;
    }

    /** The members of an object by their names as they are written, without the quotes; none of any other value. */
    static Map<String, String> members(String object) {
        JsonParts in = new JsonParts(object);
        Map<String, String> found = new LinkedHashMap<>();
        for (char c = in.enter('{'); c != '}'; c = in.next()) {
            String name = unquoted(in.value());
            in.next();
            found.put(name, in.value());
        }
        return found;
    }

    /** The whole number that the value is; {@code otherwise} if it is none, or out of range. */
    static int integer(@Nullable String value, int otherwise) {
        return value != null && value.matches("-?[0-9]{1,9}") ? Integer.parseInt(value) : otherwise;
    }

    /** The characters between the quotes of a string without escapes; other values as they are. */
    static String unquoted(String value) {
        return value.startsWith("\"") ? value.substring(1, value.length() - 1) : value;
    }

    /** Returns the first character inside, if the text begins with the opening bracket; else the closing bracket. */
    private char enter(char opening) {
        skipSpace();
        if (at >= text.length() || text.charAt(at) != opening) {
            return opening == '[' ? ']' : '}';
        }
        at++;
        skipSpace();
        return text.charAt(at);
    }

    /** The character that follows a value, behind its comma or colon. */
    private char next() {
        skipSpace();
        if (text.charAt(at) == ',' || text.charAt(at) == ':') {
            at++;
            skipSpace();
        }
        return text.charAt(at);
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private String value() {
        skipSpace();
        int from = at;
        int depth = 0;
        do {
            char c = text.charAt(at);
            if (c == '"') {
                skipString();
            } else {
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
                at++;
            }
        } while (at < text.length() && (depth > 0 || goesOn(from)));
        return text.substring(from, at);
    }

    /** Returns whether a number or a word has more characters; a string, array or object ends by itself. */
    private boolean goesOn(int from) {
        char first = text.charAt(from);
        char c = text.charAt(at);
        return first != '"'
                && first != '{'
                && first != '['
                && c != ','
                && c != ']'
                && c != '}'
                && !Character.isWhitespace(c);
    }

    private void skipString() {
        at++;
        while (text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
    }
}
