package dev.durable.internal.declare.type;

import dev.durable.internal.text.Bounds;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Checks names of types, activities, handlers and queues, and suggests the name that was probably meant. */
public final class NameRules {
    private NameRules() {}

    /**
     * Returns whether the text may be a name, which stands in keys, logs and messages: no invisible characters, not too
     * long.
     */
    public static boolean isName(String text) {
        return Bounds.isName(text);
    }

    /**
     * Returns the name as configuration compares it: {@code start-to-close}, {@code startToClose} and {@code
     * START_TO_CLOSE} are equal.
     */
    public static String relaxed(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** Returns the name that was probably meant, if any is near. */
    public static Optional<String> closest(String given, Collection<String> names) {
        int tolerance = Math.max(2, given.length() / 3);
        return names.stream()
                .min(Comparator.<String>comparingInt(name -> distance(given, name))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(name -> distance(given, name) <= tolerance);
    }

    /**
     * Returns the distance of two names; a correct last part counts as near: {@code max-attempts} for {@code
     * retry.max-attempts}.
     */
    private static int distance(String given, String name) {
        String a = relaxed(given);
        String b = relaxed(name);
        return b.endsWith("." + a) ? 1 : edits(a, b);
    }

    /** Returns the Levenshtein distance. */
    private static int edits(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
