package dev.durable.store.postgres.testing;

import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** The server that all tests of this process share; it ends with the process. */
record TestServer(
        String url, @Nullable String user, @Nullable String password) {
    static final String CHOICE = "durable.test.postgres";

    private static @Nullable TestServer shared;

    static synchronized TestServer shared() {
        if (shared == null) {
            shared = start(System.getProperty(CHOICE, "embedded"), System.getenv());
        }
        return shared;
    }

    /** Returns whether the server outlives this process. */
    static boolean isShared() {
        return System.getProperty(CHOICE, "embedded").equals("url");
    }

    static TestServer start(String choice, Map<String, String> environment) {
        return switch (choice) {
            case "embedded" -> embedded();
            case "testcontainers" -> container();
            case "url" -> named(environment);
            default -> throw TestServerErrors.unknownChoice(choice);
        };
    }

    private static TestServer embedded() {
        EmbeddedPostgres server =
                EmbeddedPostgres.builder().setting("max_connections", "500").start();
        // As a test may want what only a superuser may: extensions, or triggers switched off.
        return new TestServer(server.jdbcUrl(), server.superuser(), server.superuserPassword());
    }

    private static TestServer container() {
        try {
            return ContainerServer.start();
        } catch (NoClassDefFoundError missing) {
            throw TestServerErrors.noTestcontainers(missing);
        }
    }

    private static TestServer named(Map<String, String> environment) {
        String url = environment.getOrDefault("DURABLE_JDBC_URL", "");
        if (url.isBlank()) {
            throw TestServerErrors.noUrl();
        }
        return new TestServer(url, environment.get("DURABLE_JDBC_USER"), environment.get("DURABLE_JDBC_PASSWORD"));
    }

    /** The database of the URL, from which others are made. */
    PGSimpleDataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        if (user != null) {
            source.setUser(user);
        }
        if (password != null) {
            source.setPassword(password);
        }
        return source;
    }

    PGSimpleDataSource dataSource(String database) {
        PGSimpleDataSource source = dataSource();
        source.setDatabaseName(database);
        return source;
    }

    void execute(String sql) {
        execute(dataSource(), sql);
    }

    static void execute(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            throw TestServerErrors.refused(sql, failure);
        }
    }
}
