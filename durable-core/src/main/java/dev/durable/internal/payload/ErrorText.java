package dev.durable.internal.payload;

import dev.durable.client.ErrorSanitizer;
import dev.durable.internal.text.Bounds;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Prepares messages and stacks of exceptions for the history: masks secrets and cuts them to their maximum size. The
 * size is that of the text with its mark, so a message that is recorded several times is cut once.
 */
record ErrorText(ErrorSanitizer sanitizer) {
    static final int MAX_MESSAGE_BYTES = 4 << 10;
    static final int MAX_STACK_BYTES = 32 << 10;
    /** The characters of a text that are read: more than the cut leaves, whatever is masked. */
    private static final int LOOKED_AT = 16 << 10;

    private static final int ROOM_FOR_MARK = 64;

    String message(String raw) {
        String looked = Bounds.cut(raw, LOOKED_AT);
        String clean = sanitized(looked);
        if (raw.length() <= LOOKED_AT && fits(clean, MAX_MESSAGE_BYTES)) {
            return clean;
        }
        return cut(clean, MAX_MESSAGE_BYTES - ROOM_FOR_MARK)
                + String.format(Locale.ROOT, "… (cut, %,d characters in all)", raw.length());
    }

    /** Returns the class name of an exception of another process, which may be any text. */
    String type(String name) {
        return Bounds.cutWithMark(Bounds.shown(sanitized(Bounds.cut(name, LOOKED_AT))), Bounds.CLASS_NAME);
    }

    static String stack(String stack) {
        if (fits(stack, MAX_STACK_BYTES)) {
            return stack;
        }
        String cut = cut(stack, MAX_STACK_BYTES - ROOM_FOR_MARK);
        int line = cut.lastIndexOf('\n');
        return (line < 0 ? "" : cut.substring(0, line + 1)) + "... cut";
    }

    private String sanitized(String text) {
        try {
            String clean = sanitizer.sanitize(text);
            return clean == null ? "(left out: the error sanitizer gave null)" : clean;
        } catch (Throwable e) {
            return "(left out: the error sanitizer failed with " + e.getClass().getName() + ")";
        }
    }

    private static boolean fits(String text, int bytes) {
        return text.length() <= bytes / 3 || text.getBytes(StandardCharsets.UTF_8).length <= bytes;
    }

    private static String cut(String text, int bytes) {
        int used = 0;
        int end = 0;
        while (end < text.length()) {
            int point = text.codePointAt(end);
            used += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (used > bytes) {
                break;
            }
            end += Character.charCount(point);
        }
        return text.substring(0, end);
    }
}
