package dev.durable.store.postgres.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Sets the {@code search_path} of the engine's transactions. PostgreSQL takes the function or operator whose arguments
 * match best of all schemas of the search_path: one that another user has created in a schema where any user may (in
 * {@code public}, up to PostgreSQL 14) would be called with the rights of this process. So each transaction of the
 * engine has a search_path of its own, set where its lock timeouts are; in a caller's transaction each round trip
 * begins with {@link #PIN} and ends with {@link #RESTORE}. Both belong to the transaction, or savepoint, and end with
 * it: no state stays with the session.
 *
 * <p>A statement outside of transactions names its schema itself.
 *
 * <p>Beside the path stands {@code array_nulls}, by which the server reads a null in an array that the driver sends as
 * text: switched off, the server would read the word instead. {@code standard_conforming_strings} is set for scripts of
 * migrations only. No statement of the engine has a literal with a backslash; and in simple mode the driver quotes the
 * values of a whole script by the setting before that script, so that a script must not change the setting.
 */
public final class SearchPath {
    /** The path for statements whose tables are qualified. */
    public static final String OF_THE_SERVER = "pg_catalog, pg_temp";

    private static final String NULLS = "array_nulls";
    private static final String LITERALS = "standard_conforming_strings";
    private static final String TABLESPACE = "default_tablespace";

    /** The tablespace of the database: its name is refused for a partitioned table, and is equivalent to none. */
    private static final String OWN_TABLESPACE = "(select t.spcname::pg_catalog.text from pg_catalog.pg_tablespace t"
            + " join pg_catalog.pg_database d on d.dattablespace operator(pg_catalog.=) t.oid"
            + " where d.datname operator(pg_catalog.=) pg_catalog.current_database())";

    /** Keeps the caller's path, for the transaction, and sets ours. */
    static final String PIN = "select " + keep("search_path") + ", " + keep(NULLS) + ", " + set(OF_THE_SERVER);

    static final String RESTORE = "select " + restore("search_path") + ", " + restore(NULLS);

    private SearchPath() {}

    public static String around(String script, SchemaName schema) {
        String before = "select " + keep("search_path") + ", " + keep(NULLS) + ", " + keep(LITERALS) + ", "
                + keep(TABLESPACE) + ", " + ofScripts(with(schema)) + ";\n";
        String after = "\n" + RESTORE + ", " + restore(LITERALS) + ", " + restore(TABLESPACE) + ";\n";
        return before.replace(", true)", ", false)") + script + after.replace(", true)", ", false)");
    }

    private static String keep(String setting) {
        return "pg_catalog.set_config('durable_caller." + setting + "', pg_catalog.current_setting('" + setting
                + "'), true)";
    }

    private static String restore(String setting) {
        return "pg_catalog.set_config('" + setting + "', pg_catalog.current_setting('durable_caller." + setting
                + "'), true)";
    }

    /** The path for statements whose tables are not qualified. */
    public static String with(SchemaName schema) {
        return "pg_catalog, " + schema.quoted() + ", pg_temp";
    }

    /** Expressions that set the path for the transaction. */
    public static String set(String path) {
        return "pg_catalog.set_config('search_path', '" + path + "', true), pg_catalog.set_config('" + NULLS
                + "', 'on', true)";
    }

    /** Expressions that set the path for the transaction in which a script runs whose literals have backslashes. */
    public static String ofScripts(String path) {
        return set(path) + ", pg_catalog.set_config('" + LITERALS + "', 'on', true), pg_catalog.set_config('"
                + TABLESPACE
                + "', case when pg_catalog.current_setting('" + TABLESPACE + "') operator(pg_catalog.=) "
                + OWN_TABLESPACE
                + " then '' else pg_catalog.current_setting('" + TABLESPACE + "') end, true)";
    }

    /** Asks a question in a transaction of its own, with our path; autocommit is on. */
    public static <T> T around(Connection connection, Connections.Question<T> question) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("begin isolation level read committed; select " + set(OF_THE_SERVER));
            try {
                T answer = question.of(connection);
                statement.execute("commit");
                return answer;
            } catch (SQLException | RuntimeException | Error e) {
                rollback(statement, e);
                throw e;
            }
        }
    }

    private static void rollback(Statement statement, Throwable why) {
        try {
            statement.execute("rollback");
        } catch (SQLException lost) {
            why.addSuppressed(lost);
        }
    }
}
