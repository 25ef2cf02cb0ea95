package dev.durable.spring.actuate;

import dev.durable.internal.text.Bounds;
import org.jspecify.annotations.Nullable;

/** Texts as endpoints show them: cut where they are long. */
final class CutText {
    private static final int LONGEST = 2_000;

    private CutText() {}

    static String text(String text) {
        return text.length() <= LONGEST ? text : Bounds.cut(text, LONGEST) + "…";
    }

    static @Nullable String orNull(@Nullable String text) {
        return text == null ? null : text(text);
    }
}
