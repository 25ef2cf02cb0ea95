package dev.durable.store.postgres.embedded.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** One statement on a connection of its own. */
final class Sql {
    private Sql() {}

    /** The first value of the result, or nothing. */
    static String execute(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return "";
            }
            try (ResultSet result = statement.getResultSet()) {
                return result.next() ? result.getString(1) : "";
            }
        }
    }
}
