package dev.durable.store.postgres;

import dev.durable.store.postgres.internal.sql.PooledConnection;
import dev.durable.store.postgres.internal.sql.SchemaName;
import dev.durable.store.postgres.internal.sql.SearchPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Checks the invariants of the tables by SQL; for tests, and to verify a restored database. Reads everything: not for a
 * busy server.
 */
public final class SqlInvariants {
    private static final String RESOURCE = "invariants.sql";
    private static final int SHOWN = 20;

    private SqlInvariants() {}

    /** The violations in the schema {@code durable}, each as a text; empty if there are none. */
    public static List<String> check(DataSource dataSource) throws SQLException {
        return check(dataSource, SchemaName.DEFAULT);
    }

    /**
     * The violations in a schema, each as a text, at most twenty of a kind; empty if there are none.
     *
     * @throws SQLException if the database can't be read
     */
    public static List<String> check(DataSource dataSource, String schemaName) throws SQLException {
        SchemaName schema = new SchemaName(schemaName);
        try (PooledConnection borrowed = PooledConnection.from(dataSource)) {
            return SearchPath.around(borrowed.connection(), connection -> violations(connection, schema));
        }
    }

    private static List<String> violations(Connection connection, SchemaName schema) throws SQLException {
        List<String> violations = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(SHOWN);
            for (String query : queries()) {
                try (ResultSet rows = statement.executeQuery(schema.in(query))) {
                    while (rows.next()) {
                        violations.add(rows.getString(1));
                    }
                }
            }
        }
        return violations;
    }

    /** The queries as a script for psql. */
    public static String sql() {
        return SearchPath.around(text(), new SchemaName(SchemaName.DEFAULT));
    }

    private static String text() {
        try (InputStream in = Objects.requireNonNull(SqlInvariants.class.getResourceAsStream(RESOURCE), RESOURCE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("can't read " + RESOURCE + " from the library's own jar", e);
        }
    }

    private static List<String> queries() {
        return Arrays.stream(text().split(";\n"))
                .filter(query -> !query.isBlank())
                .toList();
    }
}
