package dev.durable.internal.declare.option;

import dev.durable.ActivityCancellationType;
import dev.durable.OnExhausted;
import dev.durable.RetryPolicy;
import dev.durable.internal.declare.type.NameRules;
import dev.durable.internal.text.Bounds;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The value types of options: how a text is parsed and which values are allowed. */
public enum OptionValue {
    TEXT("a name of 1 to 200 characters, without control characters and without blanks around it") {
        @Override
        Object parse(String text) {
            return text;
        }

        @Override
        boolean allows(Object value) {
            return NameRules.isName((String) value);
        }
    },
    TIMEOUT("a duration above zero and at most 36500d") {
        @Override
        Object parse(String text) {
            return Durations.parse(text);
        }

        @Override
        boolean allows(Object value) {
            return isWithinBounds((Duration) value) && !((Duration) value).isZero();
        }
    },
    DELAY("a duration from zero to 36500d") {
        @Override
        Object parse(String text) {
            return Durations.parse(text);
        }

        @Override
        boolean allows(Object value) {
            return isWithinBounds((Duration) value);
        }
    },
    INTEGER("a whole number") {
        @Override
        Object parse(String text) {
            return Integer.valueOf(text);
        }
    },
    COUNT("a whole number, 0 or more") {
        @Override
        Object parse(String text) {
            return Integer.valueOf(text);
        }

        @Override
        boolean allows(Object value) {
            return (int) value >= 0;
        }
    },
    FACTOR("a number, 1 or more") {
        @Override
        Object parse(String text) {
            return Double.valueOf(text);
        }

        @Override
        boolean allows(Object value) {
            return (double) value >= 1 && Double.isFinite((double) value);
        }
    },
    FRACTION("a number from 0 to 1") {
        @Override
        Object parse(String text) {
            return Double.valueOf(text);
        }

        @Override
        boolean allows(Object value) {
            return (double) value >= 0 && (double) value <= 1;
        }
    },
    SWITCH("true or false") {
        @Override
        Object parse(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "true" -> true;
                case "false" -> false;
                default -> throw new IllegalArgumentException(text);
            };
        }
    },
    EXHAUSTED(oneOf(OnExhausted.values())) {
        @Override
        Object parse(String text) {
            return oneOf(OnExhausted.values(), text);
        }
    },
    GROWTH(oneOf(RetryPolicy.Growth.values())) {
        @Override
        Object parse(String text) {
            return oneOf(RetryPolicy.Growth.values(), text);
        }
    },
    CANCELLATION(oneOf(ActivityCancellationType.values())) {
        @Override
        Object parse(String text) {
            return oneOf(ActivityCancellationType.values(), text);
        }
    },
    CLASS_NAME("a full class name") {
        @Override
        Object parse(String text) {
            return text;
        }

        @Override
        boolean allows(Object value) {
            return isClassName((String) value);
        }
    },
    CLASS_NAMES("full class names, separated by commas") {
        @Override
        Object parse(String text) {
            return Stream.of(text.split(",", -1)).map(String::strip).toList();
        }

        @Override
        boolean allows(Object value) {
            return ((List<?>) value).stream().allMatch(name -> isClassName((String) name));
        }
    };

    private static final Pattern NAME_OF_CLASS =
            Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*(\\.[\\p{L}_$][\\p{L}\\p{N}_$]*)*");

    private final String expected;

    OptionValue(String expected) {
        this.expected = expected;
    }

    abstract Object parse(String text);

    boolean allows(Object value) {
        return true;
    }

    /**
     * Parses the value of an option.
     *
     * @throws IllegalArgumentException with the values that are allowed
     */
    public final Object read(String text) {
        try {
            return check(parse(this == TEXT ? text : text.strip()));
        } catch (NumberFormatException e) {
            throw refuse("\"" + text + "\"");
        } catch (IllegalArgumentException e) {
            throw this == SWITCH ? refuse("\"" + text + "\"") : e;
        }
    }

    /** Returns the value as a text that {@link #read} parses. */
    static String text(Object value) {
        return value instanceof List<?> names
                ? names.stream().map(String::valueOf).collect(Collectors.joining(","))
                : value.toString();
    }

    /**
     * Checks a value and returns it.
     *
     * @throws IllegalArgumentException with the values that are allowed
     */
    public final Object check(Object value) {
        if (!allows(value)) {
            throw refuse(
                    value instanceof String || value instanceof List ? Bounds.quoted(text(value)) : value.toString());
        }
        return value;
    }

    private IllegalArgumentException refuse(String given) {
        return new IllegalArgumentException("It must be " + expected + ", and is " + given);
    }

    /** The constants in words: {@code FAIL, INCIDENT or DISCARD}. */
    private static String oneOf(Enum<?>[] values) {
        String all = Stream.of(values).map(Enum::name).collect(Collectors.joining(", "));
        int last = all.lastIndexOf(", ");
        return all.substring(0, last) + " or " + all.substring(last + 2);
    }

    private static <E extends Enum<E>> E oneOf(E[] values, String text) {
        String wanted = text.replace('-', '_');
        return Stream.of(values)
                .filter(value -> value.name().equalsIgnoreCase(wanted))
                .findFirst()
                .orElseThrow(() -> new NumberFormatException(text));
    }

    private static boolean isClassName(String name) {
        return name.length() <= Bounds.CLASS_NAME && NAME_OF_CLASS.matcher(name).matches();
    }

    private static boolean isWithinBounds(Duration duration) {
        return !duration.isNegative() && duration.compareTo(Bounds.DURATION) <= 0;
    }
}
