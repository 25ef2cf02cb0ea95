package dev.durable.store.postgres.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Sets the {@code search_path} of the engine's transactions. PostgreSQL takes the function or operator whose arguments
 * match best of all schemas of the search_path: one that a stranger made in a schema where he may (in {@code public},
 * up to PostgreSQL 14) would be called in the name of this process. So each transaction of the engine has a search_path
 * of its own, set where its lock timeouts are; in a caller's transaction each round trip begins with {@link #PIN} and
 * ends with {@link #RESTORE}. Both belong to the transaction, or savepoint, and end with it: nothing stays with the
 * session.
 *
 * <p>A statement outside of transactions names its schema itself.
 */
public final class SearchPath {
    /** The tables are qualified. */
    public static final String OF_THE_SERVER = "pg_catalog, pg_temp";

    private static final String KEEP =
            "select pg_catalog.set_config('durable_caller.search_path', pg_catalog.current_setting('search_path'), true), ";

    /** Keeps the caller's path, for the transaction, and takes ours. */
    static final String PIN = KEEP + set(OF_THE_SERVER);

    static final String RESTORE = "select pg_catalog.set_config('search_path',"
            + " pg_catalog.current_setting('durable_caller.search_path'), true)";

    private SearchPath() {}

    /** The script with our path around it, for a session that may go on with its own. */
    public static String around(String script, SchemaName schema) {
        String session = (KEEP + set(with(schema)) + ";\n").replace(", true)", ", false)");
        return session + script + "\n" + RESTORE.replace(", true)", ", false)") + ";\n";
    }

    /** For statements whose tables are not qualified. */
    public static String with(SchemaName schema) {
        return "pg_catalog, " + schema.quoted() + ", pg_temp";
    }

    /** An expression that sets it for the transaction. */
    public static String set(String path) {
        return "pg_catalog.set_config('search_path', '" + path + "', true)";
    }

    /** Asks in a transaction of its own, with our path; autocommit is on. */
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
