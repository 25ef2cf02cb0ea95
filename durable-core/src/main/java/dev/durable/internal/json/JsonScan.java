package dev.durable.internal.json;

/**
 * Finds where JSON values end in a text, without parsing them into tokens. Every event that is replayed passes here,
 * and a replay wants slices of the text, not tokens (docs/decisions/0047).
 *
 * <p>Strict: what it takes for a value is one by RFC 8259. What it does not take may be one all the same (one nested deeper
 * than {@value #DEEPEST}), so a caller that gets {@link #NONE} asks a parser, which also knows what is wrong.
 */
public final class JsonScan {
    /** No value that this knows of. */
    static final int NONE = -1;

    private static final int DEEPEST = 100;
    private static final int HEX_DIGITS = 4;

    private JsonScan() {}

    /**
     * Returns whether arrays and objects are nested deeper than this, in one pass: a reader that goes level by level
     * reads each of them as often as it is deep.
     */
    public static boolean isDeeperThan(int most, String text) {
        int depth = 0;
        boolean quoted = false;
        for (int at = 0; at < text.length() && text.length() > 2 * most; at++) {
            char c = text.charAt(at);
            if (quoted && c == '\\') {
                at++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == '{' || c == '[')) {
                depth++;
            } else if (!quoted && (c == '}' || c == ']')) {
                depth--;
            }
            if (depth > most) {
                return true;
            }
        }
        return false;
    }

    /** The index of the first character from there on that is no blank; the length of the text if there is none. */
    static int skipBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    /** Returns whether this character stands at this place. */
    static boolean stands(String text, int at, char c) {
        return at < text.length() && text.charAt(at) == c;
    }

    /** The index behind the value that begins there, whatever follows; {@link #NONE} where none does. */
    static int endOfValue(String text, int from) {
        return endOfValue(text, from, 0);
    }

    private static int endOfValue(String text, int from, int depth) {
        if (from >= text.length() || depth > DEEPEST) {
            return NONE;
        }
        return switch (text.charAt(from)) {
            case '"' -> endOfString(text, from);
            case '{' -> endOfAll(text, from, depth, '}');
            case '[' -> endOfAll(text, from, depth, ']');
            case 't' -> endOfWord(text, from, "true");
            case 'f' -> endOfWord(text, from, "false");
            case 'n' -> endOfWord(text, from, "null");
            default -> endOfNumber(text, from);
        };
    }

    private static int endOfWord(String text, int from, String word) {
        return text.startsWith(word, from) ? from + word.length() : NONE;
    }

    /** Of an object, where each value has a name, or an array. */
    private static int endOfAll(String text, int from, int depth, char close) {
        int at = skipBlanks(text, from + 1);
        boolean more = !stands(text, at, close);
        while (more) {
            if (close == '}') {
                int colon = endOfName(text, at);
                if (colon == NONE) {
                    return NONE;
                }
                at = skipBlanks(text, colon + 1);
            }
            int end = endOfValue(text, at, depth + 1);
            if (end == NONE) {
                return NONE;
            }
            at = skipBlanks(text, end);
            more = stands(text, at, ',');
            if (more) {
                at = skipBlanks(text, at + 1);
            }
        }
        return stands(text, at, close) ? at + 1 : NONE;
    }

    /** The index of the colon behind the name that begins there; {@link #NONE} where none does. */
    static int endOfName(String text, int from) {
        int end = stands(text, from, '"') ? endOfString(text, from) : NONE;
        int colon = end == NONE ? NONE : skipBlanks(text, end);
        return colon != NONE && stands(text, colon, ':') ? colon : NONE;
    }

    /** The index behind the string whose quote stands there; {@link #NONE} where it does not end, or is no JSON. */
    private static int endOfString(String text, int quote) {
        int at = quote + 1;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '"') {
                return at + 1;
            }
            if (c == '\\') {
                at = endOfEscape(text, at);
                if (at == NONE) {
                    return NONE;
                }
            } else if (c < ' ') {
                return NONE;
            } else {
                at++;
            }
        }
        return NONE;
    }

    private static int endOfEscape(String text, int backslash) {
        int kind = backslash + 1;
        if (kind >= text.length()) {
            return NONE;
        }
        if (text.charAt(kind) != 'u') {
            return "\"\\/bfnrt".indexOf(text.charAt(kind)) >= 0 ? kind + 1 : NONE;
        }
        int end = kind + 1 + HEX_DIGITS;
        if (end > text.length()) {
            return NONE;
        }
        for (int i = kind + 1; i < end; i++) {
            if (!isHexDigit(text.charAt(i))) {
                return NONE;
            }
        }
        return end;
    }

    private static boolean isHexDigit(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int endOfNumber(String text, int from) {
        int whole = stands(text, from, '-') ? from + 1 : from;
        int at = endOfDigits(text, whole);
        if (at == whole || (at > whole + 1 && text.charAt(whole) == '0')) {
            return NONE;
        }
        if (stands(text, at, '.')) {
            int fraction = at + 1;
            at = endOfDigits(text, fraction);
            if (at == fraction) {
                return NONE;
            }
        }
        if (stands(text, at, 'e') || stands(text, at, 'E')) {
            int sign = at + 1;
            int exponent = stands(text, sign, '+') || stands(text, sign, '-') ? sign + 1 : sign;
            at = endOfDigits(text, exponent);
            if (at == exponent) {
                return NONE;
            }
        }
        return at;
    }

    private static int endOfDigits(String text, int from) {
        int at = from;
        while (at < text.length() && isDigit(text.charAt(at))) {
            at++;
        }
        return at;
    }
}
