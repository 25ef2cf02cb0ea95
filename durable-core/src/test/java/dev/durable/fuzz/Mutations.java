package dev.durable.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Changes a text as a broken disk, a careless hand or an attacker would. The same random numbers give the same text. */
final class Mutations {
    /** No input is longer, in characters. */
    static final int LONGEST = 64 << 10;

    private static final int MOST_CHANGES = 4;

    private static final Pattern DIGITS = Pattern.compile("\\d+");
    /** Strings, numbers and words; with the colon behind it a string is a name. */
    private static final Pattern TOKENS =
            Pattern.compile("\"(?:[^\"\\\\]|\\\\.){0,200}+\"\\s*:?|-?\\d[\\d.eE+-]*+|true|false|null");

    private static final Pattern OBJECTS = Pattern.compile("\\{");

    private static final List<String> PIECES = List.of(
            "null",
            "true",
            "0",
            "-1",
            "1.5",
            "\"\"",
            "\"x\"",
            "[]",
            "{}",
            "[[]]",
            "{\"\":null}",
            "[null]",
            "NaN",
            "Infinity",
            "-0",
            "1e999999999",
            "-1E+2147483648",
            "1e-999999999",
            "9223372036854775808",
            "00",
            ",",
            ":",
            "\"",
            "\\",
            "\\u",
            "\\ud800",
            "\\u0000",
            "{",
            "}",
            "[",
            "]",
            "\n",
            "\r\n",
            "\u0000",
            "\u0007",
            "\uFEFF",
            "\ud800",
            "\udfff",
            "\u2028",
            "%",
            "%zz",
            "%00",
            "+",
            "//",
            "@",
            "?",
            "&",
            "=",
            ";",
            "-",
            "_",
            "..",
            "\"" + Planted.Count.NAME + "\"",
            Planted.Count.NAME,
            "\"java.lang.Class\"",
            "\"@type\":",
            "\"@class\":",
            "\"@lost\":",
            "\"@is\":",
            "\"PT-999999999999999999H\"",
            "\"+999999999-12-31T23:59:59Z\"",
            "\"2026-02-30T00:00:00Z\"");

    private Mutations() {}

    static String of(List<String> recorded, Random random) {
        String text = any(recorded, random);
        int changes = 1 + random.nextInt(MOST_CHANGES);
        for (int i = 0; i < changes; i++) {
            text = changed(text, recorded, random);
            if (text.length() > LONGEST) {
                text = text.substring(0, LONGEST);
            }
        }
        return text;
    }

    private static String changed(String text, List<String> recorded, Random random) {
        int from = at(text, random);
        int to = Math.min(text.length(), from + 1 + random.nextInt(40));
        return switch (random.nextInt(16)) {
            case 0 -> text.substring(0, from);
            case 1 -> text.substring(from);
            case 2 -> flipped(text, from, random);
            case 3 ->
                text.substring(0, to) + text.substring(from, to).repeat(1 + random.nextInt(5)) + text.substring(to);
            case 4 -> text.substring(0, from) + text.substring(to);
            case 5 -> text.substring(0, from) + any(PIECES, random) + text.substring(from);
            case 6 -> text.substring(0, from) + any(PIECES, random) + text.substring(to);
            case 7 -> nested(text, from, random);
            case 8 -> nestedInItself(text, random);
            case 9 -> oneOf(DIGITS, text, random, digits -> hugeNumber(random));
            case 10, 11 -> oneOf(TOKENS, text, random, token -> otherValue(token, random));
            case 12 -> brokenBytes(text, random);
            case 13 -> objectInItself(text, random);
            case 14 -> text.substring(0, from) + tail(any(recorded, random), random);
            default -> text.substring(0, from) + randomText(random) + text.substring(from);
        };
    }

    private static String flipped(String text, int at, Random random) {
        if (text.isEmpty()) {
            return text;
        }
        int place = Math.min(at, text.length() - 1);
        char flipped = (char) (text.charAt(place) ^ 1 << random.nextInt(random.nextBoolean() ? 7 : 16));
        return text.substring(0, place) + flipped + text.substring(place + 1);
    }

    private static String nested(String text, int at, Random random) {
        String open = any(List.of("[", "{\"a\":", "{\"cause\":", "[{\"suppressed\":"), random);
        String close = open.startsWith("{") ? "}" : open.length() > 1 ? "}]" : "]";
        int depth = random.nextInt(LONGEST / (open.length() + close.length()));
        boolean closed = random.nextInt(3) > 0;
        return text.substring(0, at) + open.repeat(depth) + "1" + (closed ? close.repeat(depth) : "")
                + text.substring(at);
    }

    /** In place of one of its own values, as often as it fits. */
    private static String nestedInItself(String text, Random random) {
        List<MatchResult> tokens = TOKENS.matcher(text)
                .results()
                .filter(token -> !token.group().endsWith(":"))
                .toList();
        if (tokens.isEmpty()) {
            return text;
        }
        MatchResult place = any(tokens, random);
        return inItself(text, place.start(), place.end(), random);
    }

    /** In place of an object that stands in it: a failure that causes itself. */
    private static String objectInItself(String text, Random random) {
        List<MatchResult> opened = OBJECTS.matcher(text).results().skip(1).toList();
        if (opened.isEmpty()) {
            return text;
        }
        int start = any(opened, random).start();
        int depth = 0;
        for (int at = start; at < text.length(); at++) {
            depth += text.charAt(at) == '{' ? 1 : text.charAt(at) == '}' ? -1 : 0;
            if (depth == 0) {
                return inItself(text, start, at + 1, random);
            }
        }
        return text;
    }

    private static String inItself(String text, int start, int end, Random random) {
        String before = text.substring(0, start);
        String after = text.substring(end);
        int most = LONGEST / Math.max(1, before.length() + after.length());
        int times = most == 0 ? 0 : random.nextInt(most);
        return before.repeat(times) + text + after.repeat(times);
    }

    private static String hugeNumber(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> "9".repeat(1 + random.nextInt(LONGEST));
            case 1 -> "1e" + (1L << random.nextInt(40));
            case 2 -> "1." + "7".repeat(random.nextInt(LONGEST)) + "e-9";
            default -> Long.toString(random.nextLong() & Long.MAX_VALUE);
        };
    }

    private static String otherValue(String token, Random random) {
        String piece = any(PIECES, random);
        return token.endsWith(":") ? "\"" + piece.replace("\"", "") + "\":" : piece;
    }

    /** As UTF-8 that was cut or changed, or taken for UTF-16. */
    private static String brokenBytes(String text, Random random) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 3 && bytes.length > 0; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return new String(bytes, random.nextInt(4) == 0 ? StandardCharsets.UTF_16BE : StandardCharsets.UTF_8);
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(30); i > 0; i--) {
            text.append((char) random.nextInt(random.nextBoolean() ? 0x80 : 0x10000));
        }
        return text.toString();
    }

    private static String oneOf(Pattern pattern, String text, Random random, UnaryOperator<String> change) {
        List<MatchResult> all = pattern.matcher(text).results().toList();
        if (all.isEmpty()) {
            return text;
        }
        MatchResult one = any(all, random);
        return text.substring(0, one.start()) + change.apply(one.group()) + text.substring(one.end());
    }

    private static String tail(String text, Random random) {
        return text.substring(at(text, random));
    }

    private static int at(String text, Random random) {
        return random.nextInt(text.length() + 1);
    }

    private static <T> T any(List<T> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }
}
