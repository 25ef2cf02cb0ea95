package dev.durable.internal.text;

import static java.util.stream.Collectors.joining;

import dev.durable.RefusedInputException;
import dev.durable.client.StartOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks ids, names, reasons, headers, memos, durations, times and pages against their bounds: one list, which each
 * call that writes asks before anything is written, in a caller's transaction and out of it. {@code docs/limits.md}
 * shows it to users.
 *
 * <p>Ids and names stand in keys, logs and messages, so control characters, line separators, unpaired surrogates and
 * invisible characters are no part of them: two ids that look alike would be two runs, and a name in the audit could be
 * taken for the name of another operator. Letters that look like letters of another alphabet are taken as they are,
 * since no rule tells a forged name from a foreign one. Ids and names that older releases recorded may have any of
 * these characters: they are found and listed by {@link #known}, and logs and errors show them by {@link #shown}.
 */
public final class Bounds {
    /** The longest name, of a type, an activity, a signal, a queue, a header, an actor, in UTF-16 units. */
    public static final int NAME = 200;

    /** The longest id, of a run, a job, a batch or an update, in UTF-16 units. */
    public static final int ID = StartOptions.MAX_ID_LENGTH;

    /** The longest name of an installation, in UTF-16 units. */
    public static final int INSTALLATION = 100;

    /** The longest name of a build, in UTF-16 units. */
    public static final int BUILD = 64;

    /** The longest name of a class that options or an error bring, in UTF-16 units: longer than any real class name. */
    public static final int CLASS_NAME = 1_000;

    /** The longest reason, in bytes of UTF-8. */
    public static final int REASON_BYTES = 4 * 1024;

    /** Headers and memo of a start, or the headers of an activity, names and values together, in bytes of UTF-8. */
    public static final int NOTES_BYTES = 64 * 1024;

    /**
     * The size of the headers that interceptors may add to a start beyond {@link #NOTES_BYTES}, in bytes of UTF-8: a
     * caller whose headers fit must not be refused for those of a tracer.
     */
    public static final int ADDED_NOTES_BYTES = 8 * 1024;

    /** The longest timeout or delay in options. */
    public static final Duration DURATION = Duration.ofDays(36_500);

    /**
     * The longest delay that code may ask for: longer than that of options, as replay accepts whatever an earlier
     * release accepted. The latest time plus this delay is still a time that every store can keep, and its nanoseconds
     * fit into a {@code long}.
     */
    public static final Duration WAIT = Duration.ofDays(36_525);

    /** The number of task queues of which a process remembers how many more jobs they take. */
    public static final int QUEUES = 10_000;

    /** The latest time that may be named; the latest time of PostgreSQL is far behind it. */
    public static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    /** The earliest time that may be named. */
    public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    /** The largest page of a listing. */
    public static final int PAGE = 10_000;

    /** The most children of a run that are open at a time. */
    public static final int OPEN_CHILDREN = 10_000;

    /** The most children with which a run that continues another goes on. */
    public static final int CARRIED_CHILDREN = 1_000;

    /** The most characters of the results that it gets with them. */
    public static final int CARRIED_RESULTS = 1 << 20;

    /** The most parents that a child has above it. */
    public static final int CHILD_DEPTH = 64;

    /** The most characters of the arguments of all children that are started in one turn, which is one transaction. */
    public static final int CHILD_INPUTS = 64 << 20;

    /** The longest line by which code tells people what a run or a call is about, in UTF-16 units; longer ones are cut. */
    public static final int LINE = 500;

    /** How often one callback can be given more time; each time is three events of its run. */
    public static final int EXTENSIONS = 1_000;

    /** The number of entries of a stream from which on activities append no more to it. */
    public static final long STREAM_ENTRIES = 1_000_000;

    /** The size of the values of a stream from which on activities append no more to it, in bytes of UTF-8. */
    public static final long STREAM_BYTES = 256L << 20;

    private static final int QUOTED = 60;
    /** The first invisible character but for control characters: the soft hyphen. */
    private static final char FIRST_INVISIBLE = '\u00ad';

    private static final String WHY =
            " Ids and names stand in keys and logs, so control characters, line separators, unpaired surrogates and invisible"
                    + " characters are no part of them. Usual cause: text from outside that was taken as it came. ";

    private Bounds() {}

    // ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Returns whether the text can be a name. */
    public static boolean isName(String text) {
        return !text.isBlank() && text.length() <= NAME && text.strip().equals(text) && unfit(text) == text.length();
    }

    /**
     * Returns the name, if it can be a name.
     *
     * @param what the kind of thing that the name is of, for the error
     * @throws RefusedInputException if it can't be a name, with the way out
     */
    public static String name(String what, String name) {
        return stripped(
                what,
                fit(what, name, NAME, "Use a short name such as \"default\", \"approve\" or \"Payments.charge\"."));
    }

    /**
     * Returns the name, if it can be the name of a build.
     *
     * @param what the call that names it, for the error
     * @throws RefusedInputException if it can't be the name of a build, with the way out
     */
    public static String build(String what, String name) {
        return stripped(
                what + ": the build",
                fit(
                        what + ": the build",
                        name,
                        BUILD,
                        "Use a name that each deployment has anew, such as \"2026-11-27.1\" or the first twelve characters of"
                                + " a commit."));
    }

    private static String stripped(String what, String name) {
        if (!name.strip().equals(name)) {
            throw new RefusedInputException(what + " " + quoted(name) + " has blanks around it, which can't be"
                    + " seen in logs and listings. Strip them.");
        }
        return name;
    }

    /**
     * Returns the id, if it can be an id.
     *
     * @param what the kind of thing that the id is of, for the error
     * @throws RefusedInputException if it can't be an id, with the way out
     */
    public static String id(String what, String id) {
        return fit(what, id, ID, "Use a short business key such as \"order-42\".");
    }

    /**
     * Returns an id or name that a caller looks for and that an older release may have recorded, if a store can contain
     * it at all.
     *
     * @param what the kind of thing that it is of, for the error
     * @throws RefusedInputException if no store can contain it
     */
    public static String known(String what, String id) {
        if (id.length() > ID || id.indexOf('\0') >= 0 || hasLoneSurrogate(id)) {
            throw new RefusedInputException("nothing can have the " + what + " " + quoted(id)
                    + ": none has more than " + grouped(ID)
                    + " characters, NUL or unpaired surrogates. Usual cause: text"
                    + " from outside that was taken as it came.");
        }
        return id;
    }

    /**
     * Returns the name of an operator, which history and audit record, if it can be one.
     *
     * @throws IllegalArgumentException if it is null, blank, too long or has control characters
     */
    public static String actor(@Nullable String actor) {
        if (actor == null || actor.isBlank()) {
            throw new RefusedInputException("by(" + (actor == null ? "null" : quoted(actor))
                    + "): an actor needs a name, as the audit shows it. Usual cause: no user is logged in. Leave by(…)"
                    + " out where it is the process itself that acts.");
        }
        return name("by(…): the actor", actor);
    }

    /**
     * Returns the reason, if it can be one: text for people, on several lines perhaps.
     *
     * @param what the thing that the reason is for, for the error
     * @throws RefusedInputException if it is too long or has other control characters than tabs and line breaks
     */
    public static String reason(String what, String reason) {
        int bytes = reason.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > REASON_BYTES) {
            throw new RefusedInputException(what + ": the reason " + quoted(reason) + " is " + grouped(bytes)
                    + " bytes, the limit is " + grouped(REASON_BYTES)
                    + ". It stands in the history, and in errors and listings. Say it in a sentence, and keep the rest"
                    + " elsewhere.");
        }
        for (int at = unfit(reason); at < reason.length(); at = unfit(reason, next(reason, at))) {
            // Emoji and some alphabets need joiners.
            if ("\t\n\r".indexOf(reason.charAt(at)) < 0 && !isInvisible(reason.codePointAt(at))) {
                throw new RefusedInputException(
                        what + ": the reason " + quoted(reason) + " has " + character(reason, at)
                                + ". Of control characters a reason has tabs and line breaks only, and no unpaired"
                                + " surrogates. Usual cause: text from outside that was taken as it came. Strip them.");
            }
        }
        return reason;
    }

    private static String fit(String what, String text, int longest, String wayOut) {
        if (text.isBlank() || text.length() > longest) {
            throw new RefusedInputException(what + " " + quoted(text) + " must be 1 to " + grouped(longest)
                    + " characters, not blank; this one has " + grouped(text.length()) + ". " + wayOut);
        }
        int at = unfit(text);
        if (at < text.length()) {
            throw new RefusedInputException(
                    what + " " + quoted(text) + " has " + character(text, at) + "." + WHY + wayOut);
        }
        return text;
    }

    // ── headers, memos ───────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Checks headers, and a memo that is written with them.
     *
     * @param what the thing that they are of, for the error
     * @throws RefusedInputException if a name can't be one, or all of it is too large
     */
    public static void notes(String what, Map<String, String> headers, Map<String, String> memo) {
        notes(what, headers, memo, NOTES_BYTES);
    }

    /**
     * Checks headers to which interceptors have added some of their own, and a memo that is written with them: they may
     * be larger by {@link #ADDED_NOTES_BYTES}.
     *
     * @throws RefusedInputException if a name can't be one, or all of it is too large
     */
    public static void notesWithAdded(String what, Map<String, String> headers, Map<String, String> memo) {
        notes(what, headers, memo, NOTES_BYTES + ADDED_NOTES_BYTES);
    }

    private static void notes(String what, Map<String, String> headers, Map<String, String> memo, int most) {
        long bytes = bytes(what + ": header", headers) + bytes(what + ": memo key", memo);
        if (bytes > most) {
            throw new RefusedInputException(what + ": its headers and memo are " + grouped(bytes)
                    + " bytes, the limit is " + grouped(most)
                    + " for both together: headers are written again with each activity, and memos are read by each listing."
                    + " Store large values elsewhere (a table, an argument) and keep a reference here.");
        }
    }

    /**
     * Returns the value of a header or a memo, if there is one.
     *
     * @param what the thing that the header or memo is of, for the error
     * @throws RefusedInputException if there is none
     */
    public static String given(String what, String name, @Nullable String value) {
        if (value == null) {
            throw new RefusedInputException(
                    what + " " + quoted(name) + " has no value (null). Leave it out, or give it an empty one.");
        }
        return value;
    }

    private static long bytes(String what, Map<String, ? extends @Nullable String> notes) {
        long bytes = 0;
        for (Map.Entry<String, ? extends @Nullable String> note : notes.entrySet()) {
            bytes += name(what, note.getKey()).getBytes(StandardCharsets.UTF_8).length;
            bytes += given(what, note.getKey(), note.getValue()).getBytes(StandardCharsets.UTF_8).length;
        }
        return bytes;
    }

    // ── times, pages ─────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Checks a timeout or delay of options; null is accepted.
     *
     * @throws RefusedInputException if it is longer than {@link #DURATION}
     */
    public static void duration(String what, @Nullable Duration duration) {
        if (duration != null && duration.compareTo(DURATION) > 0) {
            throw new RefusedInputException(what + " must be at most " + grouped(DURATION.toDays()) + " days, not "
                    + duration + ". Usual cause: a number in another unit than was meant. Leave it out for no limit.");
        }
    }

    /**
     * Checks a time; null is accepted.
     *
     * @throws RefusedInputException if it is before {@link #EARLIEST} or after {@link #LATEST}
     */
    public static void time(String what, @Nullable Instant time) {
        if (time != null && (time.isBefore(EARLIEST) || time.isAfter(LATEST))) {
            throw new RefusedInputException(what + " must be from " + EARLIEST + " to " + LATEST + ", not " + time
                    + ", which databases can't hold. Leave it out for never.");
        }
    }

    /**
     * Returns the size of a page, if it can be one.
     *
     * @throws RefusedInputException if it is not from 0 to {@link #PAGE}
     */
    public static int page(int size) {
        if (size < 0 || size > PAGE) {
            throw new RefusedInputException(
                    "page(" + size + "): a page has 0 to " + grouped(PAGE)
                            + " rows, which are all in memory at once. For all of them, take stream(), which reads page by page.");
        }
        return size;
    }

    // ── starts ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Returns the options of a start, if all of them are within their bounds.
     *
     * @param what the thing that they start: {@code "workflow"}, {@code "job"} or {@code "batch"}
     * @throws RefusedInputException for the first option that is not
     */
    public static StartOptions start(String what, StartOptions options) {
        String id = id(what + " id", options.id());
        String start = "start of " + id;
        if (options.taskQueue() != null) {
            name(start + ": task queue", options.taskQueue());
        }
        if (options.by() != null) {
            name(start + ": by", options.by());
        }
        notes(start, options.headers(), options.memo());
        duration(start + ": executionTimeout", options.executionTimeout());
        duration(start + ": runTimeout", options.runTimeout());
        duration(start + ": startDelay", options.startDelay());
        if (options.debounce() != null) {
            duration(start + ": debounce", options.debounce().quiet());
            duration(start + ": debounce", options.debounce().max());
        }
        time(start + ": expiresAt", options.expiresAt());
        return options;
    }

    // ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * The text as logs and errors show it: characters that can't be part of an id or name are escaped as in Java,
     * {@code \\u000a}. Text without such characters, which is nearly all, is returned unchanged.
     */
    public static String shown(String text) {
        int at = unfit(text);
        if (at == text.length()) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length() + 16);
        int done = 0;
        for (; at < text.length(); at = unfit(text, done)) {
            shown.append(text, done, at);
            for (done = next(text, at); at < done; at++) {
                shown.append(escape(text.charAt(at)));
            }
        }
        return shown.append(text, done, text.length()).toString();
    }

    /**
     * A text of several lines as logs and errors show it: other control characters are escaped, and each line but the first
     * is indented, so that none can be taken for a line of the log.
     */
    public static String lines(String text) {
        return unfit(text) == text.length()
                ? text
                : text.lines().map(Bounds::shown).collect(joining("\n    "));
    }

    /** The text as {@link #shown} gives it, in quotes, and cut where it is long. */
    public static String quoted(String text) {
        return text.length() <= QUOTED ? "\"" + shown(text) + "\"" : "\"" + shown(cut(text, QUOTED)) + "…\"";
    }

    /**
     * The beginning of a text, of at most so many UTF-16 units. A character of two units is kept whole or left out: half of
     * one makes JSON that strict readers refuse.
     */
    public static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        boolean halves = most > 0 && Character.isSurrogatePair(text.charAt(most - 1), text.charAt(most));
        return text.substring(0, halves ? most - 1 : most);
    }

    /** The beginning of a text as by {@link #cut}, with a mark where it was cut; the mark is the last of its units. */
    public static String cutWithMark(String text, int most) {
        return text.length() <= most ? text : cut(text, most - 1) + "…";
    }

    /**
     * A line for people as it is stored and shown: cut to {@link #LINE}, and a blank in place of each line break and of
     * each other character that would change what stands around it.
     */
    public static String line(String text) {
        String cut = cutWithMark(text, LINE);
        if (unfit(cut) == cut.length()) {
            return cut;
        }
        StringBuilder line = new StringBuilder(cut);
        for (int at = unfit(cut); at < cut.length(); at = unfit(cut, next(cut, at))) {
            // Emoji and some alphabets need joiners and variation selectors.
            if (!isInvisible(cut.codePointAt(at)) || isTurning(cut.charAt(at))) {
                line.setCharAt(at, ' ');
            }
        }
        return line.toString();
    }

    private static String character(String text, int at) {
        char c = text.charAt(at);
        String kind = isInvisible(text.codePointAt(at))
                ? "the invisible character "
                : Character.isSurrogate(c) ? "the unpaired surrogate " : "the control character ";
        return kind + shown(text.substring(at, next(text, at))) + " as its character " + grouped(at + 1L);
    }

    private static String escape(char c) {
        return String.format(Locale.ROOT, "\\u%04x", (int) c);
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static int unfit(String text) {
        return unfit(text, 0);
    }

    /** The index of the first character that can't be in ids and names; the length of the text if there is none. */
    private static int unfit(String text, int from) {
        for (int at = from; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c < FIRST_INVISIBLE) {
                if (Character.isISOControl(c)) {
                    return at;
                }
                continue;
            }
            int point = text.codePointAt(at);
            if (c == '\u2028' || c == '\u2029' || isInvisible(point) || isLone(point)) {
                return at;
            }
            at += Character.charCount(point) - 1;
        }
        return text.length();
    }

    private static boolean isLone(int point) {
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    }

    /**
     * Returns whether the character has no picture of its own: zero-width characters, joiners, characters that turn the
     * direction of the text around, tags, variation selectors, fillers. These are the characters of Unicode's category
     * of format characters, and of the others those that Unicode calls ignorable.
     */
    private static boolean isInvisible(int point) {
        return Character.getType(point) == Character.FORMAT
                || point == 0x034F
                || point == 0x115F
                || point == 0x1160
                || point == 0x3164
                || point == 0xFFA0
                || (point >= 0x17B4 && point <= 0x17B5)
                || (point >= 0x180B && point <= 0x180F)
                || (point >= 0xFE00 && point <= 0xFE0F)
                || (point >= 0xE0000 && point <= 0xE0FFF);
    }

    /** Returns whether the character turns the direction of the text around it: those that Unicode calls Bidi_Control. */
    private static boolean isTurning(char c) {
        return c == 0x061C || c == 0x200E || c == 0x200F || c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x2069;
    }

    private static int next(String text, int at) {
        return at + Character.charCount(text.codePointAt(at));
    }

    private static boolean hasLoneSurrogate(String text) {
        return text.codePoints().anyMatch(Bounds::isLone);
    }
}
