package dev.durable;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Takes out of error messages what must not stand in a database: {@code builder.errorSanitizer(text -> …)}. Applied to every
 * message of an exception before it is recorded, causes and suppressed ones included; class names and stacks are kept as they
 * are, and so are the own fields of exceptions that a method declares, which are data. Thread-safe; must not throw (if it
 * does, the message is left out).
 *
 * <p>After it, a message is cut to 4 KiB and a stack to 32 KiB.
 */
@FunctionalInterface
public interface ErrorSanitizer {

    /** Leaves everything as it is. */
    ErrorSanitizer NONE = text -> text;

    /**
     * Masks user and password in URLs (JDBC ones too), values of {@code password=}, {@code secret=}, {@code token=}, {@code
     * api_key=} and the like, bearer and basic credentials, JSON Web Tokens, and e-mail addresses.
     */
    ErrorSanitizer DEFAULT = Masks::apply;

    /** The text without what must not be recorded. */
    String sanitize(String text);

    /** What {@link #DEFAULT} masks. Every quantifier is bounded or possessive by nature: long messages cost linear time. */
    final class Masks {
        private static final List<Map.Entry<Pattern, String>> ALL = List.of(
                mask("(://)[^/\\s:@]{1,200}:[^/\\s]{1,200}@", "$1***@"),
                mask("(jdbc:oracle:[a-z]{1,10}:)[^/\\s]{1,100}/[^@\\s]{1,100}@", "$1***@"),
                mask("\\b(bearer|basic)(\\s{1,5})[a-z0-9._~+/=-]{6,}", "$1$2***"),
                mask("\\beyJ[a-z0-9_-]{5,}\\.[a-z0-9_-]{5,}\\.[a-z0-9_-]*", "***"),
                mask(
                        "(password|passwd|passphrase|pwd|secret|(?:access|refresh|id|auth|session)[_-]?token|token(?==)|api[_-]?key)([\"']?\\s{0,5}[=:]\\s{0,5})"
                                + "(?!\\*\\*\\*)(?!(?:bearer|basic)\\s)(?:\"[^\"]{0,1000}\"|'[^']{0,1000}'|[^\\s&;,)}\\]\"']{1,1000})",
                        "$1$2***"),
                mask("[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,8}", "***@***"));

        private Masks() {}

        private static Map.Entry<Pattern, String> mask(String pattern, String by) {
            return Map.entry(Pattern.compile(pattern, Pattern.CASE_INSENSITIVE), by);
        }

        static String apply(String text) {
            String masked = text;
            for (Map.Entry<Pattern, String> mask : ALL) {
                masked = mask.getKey().matcher(masked).replaceAll(mask.getValue());
            }
            return masked;
        }
    }
}
