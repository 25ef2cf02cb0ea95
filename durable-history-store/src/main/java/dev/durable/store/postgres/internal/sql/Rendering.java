package dev.durable.store.postgres.internal.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Renders a batch statement for its number of rows: as arrays with {@code unnest}, or as {@code values} if there are
 * few. Its tables of parameters, {@code unnest(?::uuid[], ?::int[]) as u(…)}, have an array for each column; few rows
 * are sent as rows: {@code (values (?::uuid, ?::int)) as u(…)}. The planner pulls up a single row, and the plan is that
 * of a statement written for it: no array to be parsed and unnested, no function to be scanned. Rows, locks and their
 * order are the same.
 *
 * @param text with a question mark for each of {@code values}
 * @param values in the order in which they are bound
 */
public record Rendering(String text, List<Value> values) {
    /**
     * The greatest number of rows that are sent as rows. Each number of rows is a statement of its own, which each
     * connection prepares, so most statements are sent so for one row only. A step that is alone in its commit mostly
     * appends two events: the end of an activity, and the next one.
     */
    public static final int FEW = 2;

    private static final Pattern TABLE =
            Pattern.compile("\\bunnest\\((\\s*\\?::\\w+\\[](?:\\s*,\\s*\\?::\\w+\\[])*)\\)(?!\\s*with ordinality)");

    /**
     * The templates of the statements. The statements are constants, so there are no more templates than the code has,
     * each with a few renderings.
     */
    private static final Map<String, Template> TEMPLATES = new ConcurrentHashMap<>();

    /** The statement for these parameters; tables of more rows than this are sent as arrays. */
    public static Rendering of(String sql, int mostRows, Param... params) {
        Template known = TEMPLATES.get(sql);
        return (known != null ? known : TEMPLATES.computeIfAbsent(sql, Template::parse)).rendering(mostRows, params);
    }

    /** Binds the values; returns the index behind the last. */
    int bind(PreparedStatement statement, int first, Param... params) throws SQLException {
        int index = first;
        for (Value value : values) {
            Param param = params[value.param];
            if (value.row < 0) {
                param.bind(statement, index++);
            } else {
                ((Param.Column<?>) param).bindRow(statement, index++, value.row);
            }
        }
        return index;
    }

    /** A parameter, or its value in a row; -1 is the whole of it. */
    record Value(int param, int row) {}

    /** A text, then a table of so many parameters, of these types; none behind the last text. */
    private record Part(String text, int params, List<String> columns) {}

    private static final class Template {
        private final List<Part> parts = new ArrayList<>();
        private final Map<Integer, Rendering> renderings = new ConcurrentHashMap<>();

        static Template parse(String sql) {
            Template template = new Template();
            Matcher table = TABLE.matcher(sql);
            int end = 0;
            while (table.find()) {
                template.add(
                        sql.substring(end, table.start()),
                        List.of(table.group(1).strip().split("\\s*,\\s*")));
                end = table.end();
            }
            template.add(sql.substring(end), List.of());
            return template;
        }

        private void add(String text, List<String> columns) {
            parts.add(new Part(text, (int) text.chars().filter(c -> c == '?').count(), columns));
        }

        Rendering rendering(int mostRows, Param... params) {
            int shape = 0;
            int next = 0;
            for (Part part : parts) {
                next += part.params;
                if (!part.columns.isEmpty()) {
                    shape = shape * (FEW + 1) + rows(params[next], mostRows);
                    next += part.columns.size();
                }
            }
            Rendering known = renderings.get(shape);
            return known != null ? known : renderings.computeIfAbsent(shape, unused -> render(mostRows, params));
        }

        /** The number of rows that are sent as rows; 0 if they are sent as arrays, because they are many or none. */
        private static int rows(Param param, int most) {
            return param instanceof Param.Column<?> column && column.length() <= most ? column.length() : 0;
        }

        private Rendering render(int mostRows, Param... params) {
            StringBuilder text = new StringBuilder();
            List<Value> values = new ArrayList<>();
            int next = 0;
            for (Part part : parts) {
                text.append(part.text);
                for (int i = 0; i < part.params; i++) {
                    values.add(new Value(next++, -1));
                }
                if (!part.columns.isEmpty()) {
                    table(part.columns, rows(params[next], mostRows), next, text, values);
                    next += part.columns.size();
                }
            }
            return new Rendering(text.toString(), List.copyOf(values));
        }

        private static void table(List<String> columns, int rows, int first, StringBuilder text, List<Value> values) {
            if (rows == 0) {
                text.append("unnest(").append(String.join(", ", columns)).append(')');
                for (int i = 0; i < columns.size(); i++) {
                    values.add(new Value(first + i, -1));
                }
                return;
            }
            String row = "(" + String.join(", ", columns).replace("[]", "") + ")";
            text.append("(values ")
                    .append(String.join(", ", Collections.nCopies(rows, row)))
                    .append(')');
            for (int r = 0; r < rows; r++) {
                for (int i = 0; i < columns.size(); i++) {
                    values.add(new Value(first + i, r));
                }
            }
        }
    }
}
