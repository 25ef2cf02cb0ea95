package dev.durable.store.postgres.internal.sql;

import java.util.regex.Pattern;

/**
 * The validated and quoted name of the schema that holds the tables. Statements are written for {@code durable} and
 * qualified, so that they can be pasted into psql; this class replaces {@code durable} by the configured schema. The
 * search_path is not used for that, as it would be session state.
 */
public record SchemaName(String value) {
    public static final String DEFAULT = "durable";
    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,47}");

    public SchemaName {
        if (!ALLOWED.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "schema name must be 1 to 48 letters, digits, '_' or '-', not starting with a"
                            + " digit, and not \"" + value + "\": it also stands in the names of roles and channels.");
        }
    }

    public String quoted() {
        return '"' + value + '"';
    }

    public String in(String sql) {
        return value.equals(DEFAULT) ? sql : sql.replace(DEFAULT + ".", quoted() + ".");
    }
}
