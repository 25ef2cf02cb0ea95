package dev.durable.store.postgres.internal.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One step of a migration: a transaction, or a single statement outside of any ({@code create index concurrently}). The
 * last step of a version writes the version into {@code schema_version}; those before it may be run again after a
 * failure, so they check whether they are needed.
 *
 * <p>In a file, the line {@code -- step} begins another transaction, and {@code -- step: concurrently} one {@code
 * create index concurrently if not exists}.
 *
 * @param index the index that it builds outside of a transaction; null is an ordinary step
 */
public record MigrationStep(
        int version, String sql, @Nullable String index) {
    private static final Pattern BEGIN = Pattern.compile("(?m)^-- step(: concurrently)?\n");
    private static final Pattern INDEX = Pattern.compile("(?m)^create index concurrently if not exists (\\w+) ");

    public static List<MigrationStep> of(int version, String text) {
        List<MigrationStep> steps = new ArrayList<>();
        Matcher begin = BEGIN.matcher(text);
        int from = 0;
        boolean concurrently = false;
        while (begin.find()) {
            add(steps, version, text.substring(from, begin.start()), concurrently);
            from = begin.end();
            concurrently = begin.group(1) != null;
        }
        add(steps, version, text.substring(from), concurrently);
        return steps;
    }

    /** In a file with several steps, the lines before the first step are a comment. */
    private static void add(List<MigrationStep> steps, int version, String sql, boolean concurrently) {
        if (sql.lines().allMatch(line -> line.isBlank() || line.startsWith("--"))) {
            return;
        }
        Matcher index = INDEX.matcher(sql);
        if (concurrently != index.find()) {
            throw new IllegalStateException("migration " + version + ": a step is concurrent if and only if it is one"
                    + " 'create index concurrently if not exists …': " + sql);
        }
        steps.add(new MigrationStep(version, sql, concurrently ? index.group(1) : null));
    }
}
