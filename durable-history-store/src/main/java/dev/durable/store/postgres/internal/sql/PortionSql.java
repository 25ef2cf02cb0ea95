package dev.durable.store.postgres.internal.sql;

import dev.durable.internal.text.Portion;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The SQL that ends a read of rows when their bytes make a portion, which bounds the reader's memory. */
public final class PortionSql {
    private PortionSql() {}

    /**
     * Selects the first of these rows that make a {@linkplain dev.durable.internal.text.Portion portion}; its size is the last
     * parameter. The size of a stored value is known without decompressing it; {@code octet_length} of a json would
     * decompress all of it, for rows that are then left out, too. Rows come in the order of the nested loops below
     * them: the window needs no sort, and holds only pointers to values that are stored out of line.
     */
    public static String portion(String columns, String large, String rows) {
        return portionBy(columns, size("r." + large), rows);
    }

    /** As {@link #portion}, for rows {@code r} whose size is this expression. */
    public static String portionBy(String columns, String size, String rows) {
        return "select " + columns + " from (select p.*, sum(p.size) over (rows unbounded preceding) - p.size as before"
                + " from (select r.*, " + size + " as size from (" + rows + ") r) p) q where q.before < ?";
    }

    /** The size for which a column counts. */
    public static String size(String column) {
        return "pg_column_size(" + column + ")::bigint * case when pg_column_compression(" + column
                + ") is null then 1 else " + Portion.COMPRESSED + " end";
    }

    /** The size for which columns count, each of which may be null. */
    public static String sizes(String... columns) {
        return Stream.of(columns)
                .map(column -> "coalesce(" + size(column) + ", 0)")
                .collect(Collectors.joining(" + "));
    }
}
