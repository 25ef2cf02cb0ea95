package dev.durable.store;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What stalled runs have in common that have stalled alike. A store finds them by the same rules: see the constants.
 *
 * @param type their workflow type
 * @param cause the first line of why they have stalled, without their own workflow ids and run ids, with {@code #} for each
 *     number, as these differ from run to run
 * @param line the first line of code that is named there; null where none is
 */
public record StallCause(
        String type, String cause, @Nullable String line) {
    /** A regular expression for a line of code, of Java as of PostgreSQL. */
    public static final String LINE = "[a-zA-Z0-9_.$]+\\([a-zA-Z0-9_$]+[.](?:java|kt):[0-9]+\\)";

    /** A regular expression for a number, of Java as of PostgreSQL. */
    public static final String NUMBER = "[0-9]+";

    /** The sign that replaces a number in a cause, so that causes which differ by a number are one group. */
    public static final String ANY_NUMBER = "#";

    private static final Pattern LINES = Pattern.compile(LINE);
    private static final Pattern NUMBERS = Pattern.compile(NUMBER);

    /**
     * The cause of a stalled run.
     *
     * @param stalledBy why it has stalled, as its row has it
     */
    public static StallCause of(String type, RunKey run, String stalledBy) {
        Matcher line = LINES.matcher(stalledBy);
        int end = stalledBy.indexOf('\n');
        String cause = (end < 0 ? stalledBy : stalledBy.substring(0, end))
                .replace(run.workflowId(), "")
                .replace(run.runId().toString(), "");
        return new StallCause(type, NUMBERS.matcher(cause).replaceAll(ANY_NUMBER), line.find() ? line.group() : null);
    }

    /** Without the texts, in which code may have written what it likes. */
    @Override
    public String toString() {
        return "StallCause[" + type + "]";
    }
}
