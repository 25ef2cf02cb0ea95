package dev.durable.store.postgres.embedded;

import dev.durable.StoreUnavailableException;
import java.sql.SQLException;

/** The error texts about the server that the environment names. No text, and no cause, shows a password. */
final class PostgresSourceErrors {
    private PostgresSourceErrors() {}

    static StoreUnavailableException unreachable(String shownUrl, SQLException failure) {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        return new StoreUnavailableException(
                "PostgreSQL at %s cannot be used: %s (SQLSTATE %s). %s"
                        .formatted(shownUrl, failure.getMessage(), state, wayOut(state)),
                failure);
    }

    private static String wayOut(String state) {
        return switch (state) {
            case "28P01", "28000" ->
                "Usually user or password are wrong: see %s and %s, or the server's pg_hba.conf."
                        .formatted(PostgresSource.USER, PostgresSource.PASSWORD);
            case "3D000" ->
                "The server answers, but has no such database: create it (createdb), or correct %s."
                        .formatted(PostgresSource.URL);
            case "53300" -> "The server has no connection left: raise its max_connections, or end other clients.";
            case "57P03" -> "The server is starting or stopping: try again in a moment.";
            default ->
                "Usually no server runs there, or a firewall is between: start it, correct %1$s, or unset %1$s to use the embedded one."
                        .formatted(PostgresSource.URL);
        };
    }

    static StoreUnavailableException notAJdbcUrl(String shownUrl) {
        return new StoreUnavailableException(
                "%s is \"%s\", which is no URL of PostgreSQL's JDBC driver. Write jdbc:postgresql://host:port/database, and user and password into %s and %s."
                        .formatted(PostgresSource.URL, shownUrl, PostgresSource.USER, PostgresSource.PASSWORD));
    }

    static StoreUnavailableException userWithoutUrl() {
        return new StoreUnavailableException(
                "%s or %s is set, but not %s: which server are they for? Set it too, or unset them to use the embedded server."
                        .formatted(PostgresSource.USER, PostgresSource.PASSWORD, PostgresSource.URL));
    }
}
