package dev.durable.store.postgres.internal.sql;

import dev.durable.store.Portion;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** SQL that ends a read of rows when they are too many bytes for the reader's memory. */
public final class PortionSql {
    private PortionSql() {}

    /**
     * The first of these rows that make a {@linkplain dev.durable.store.Portion portion}; its size is the last parameter.
     * What is stored says how large it is without being unpacked; {@code octet_length} of a json unpacks all of it, for rows
     * that are then left out, too. Rows come as the nested loops below give them: the window needs no sort, and holds no
     * more than pointers to what is stored out of line.
     */
    public static String portion(String columns, String large, String rows) {
        return portionBy(columns, size("r." + large), rows);
    }

    /** The same with rows {@code r} that are as large as this says. */
    public static String portionBy(String columns, String size, String rows) {
        return "select " + columns + " from (select p.*, sum(p.size) over (rows unbounded preceding) - p.size as before"
                + " from (select r.*, " + size + " as size from (" + rows + ") r) p) q where q.before < ?";
    }

    /** What a column counts for. */
    public static String size(String column) {
        return "pg_column_size(" + column + ")::bigint * case when pg_column_compression(" + column
                + ") is null then 1 else " + Portion.COMPRESSED + " end";
    }

    /** What columns count for, of which each may be null. */
    public static String sizes(String... columns) {
        return Stream.of(columns)
                .map(column -> "coalesce(" + size(column) + ", 0)")
                .collect(Collectors.joining(" + "));
    }
}
