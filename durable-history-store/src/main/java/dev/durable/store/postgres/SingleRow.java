package dev.durable.store.postgres;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Batch statements as they are sent for one row: {@code unnest(?::uuid[], ?::int[]) as u(…)} becomes {@code (values
 * ((?::uuid[])[1], (?::int[])[1])) as u(…)}, which the planner dissolves. What is left is the plan of a statement
 * written for a single row: no function to be scanned, nothing to be materialised. A step that is alone in its commit
 * is quicker by a tenth for it; parameters, locks and their order are the same.
 */
final class SingleRow {
    private static final Pattern TABLE =
            Pattern.compile("\\bunnest\\((\\s*\\?::\\w+\\[](?:\\s*,\\s*\\?::\\w+\\[])*)\\)(?!\\s*with ordinality)");
    private static final Pattern ARRAY = Pattern.compile("\\?::\\w+\\[]");

    /** The statements are constants: there are no more of them than the code has. */
    private static final Map<String, String> RENDERED = new ConcurrentHashMap<>();

    private SingleRow() {}

    /** The statement for arrays of one element each; the same where no table is made of arrays. */
    static String of(String sql) {
        String known = RENDERED.get(sql);
        return known != null ? known : RENDERED.computeIfAbsent(sql, SingleRow::render);
    }

    private static String render(String sql) {
        return TABLE.matcher(sql)
                .replaceAll(table -> "(values (" + ARRAY.matcher(table.group(1)).replaceAll("($0)[1]") + "))");
    }
}
