package dev.durable.internal.declare.option;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as users write them: {@code "200ms" "10s" "5m" "2h" "3d"} or ISO-8601. Never negative. */
public final class Durations {
    private static final Pattern SIMPLE = Pattern.compile("(\\d{1,18})\\s*(ms|s|m|h|d)");

    private Durations() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException with the accepted forms
     */
    public static Duration parse(String text) {
        Duration duration = read(text.strip());
        if (duration == null || duration.isNegative()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is no duration."
                            + " Write a whole number and its unit, \"200ms\" \"10s\" \"5m\" \"2h\" \"3d\", or ISO-8601, \"PT1M30S\"");
        }
        return duration;
    }

    private static @Nullable Duration read(String text) {
        try {
            Matcher simple = SIMPLE.matcher(text);
            return simple.matches() ? of(Long.parseLong(simple.group(1)), simple.group(2)) : Duration.parse(text);
        } catch (DateTimeException | ArithmeticException notUnderstood) {
            return null;
        }
    }

    private static Duration of(long amount, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }
}
