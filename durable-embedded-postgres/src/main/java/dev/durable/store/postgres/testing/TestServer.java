package dev.durable.store.postgres.testing;

import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** The server that all tests of this process share; it ends with the process. */
record TestServer(
        String url, @Nullable String user, @Nullable String password) {
    static final String CHOICE = "durable.test.postgres";

    /** Connections to the shared server's own database that wait for the next statement: to connect is dear. */
    private static final Queue<Connection> IDLE = new ConcurrentLinkedQueue<>();

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
        TestServer made = new TestServer(server.jdbcUrl(), server.superuser(), server.superuserPassword());
        made.hashPasswordOnce();
        return made;
    }

    /** The password is random, and each connection would else cost its client 4,096 rounds of hashing. From PostgreSQL 16 on. */
    private void hashPasswordOnce() {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            if (connection.getMetaData().getDatabaseMajorVersion() >= 16) {
                statement.execute("SET scram_iterations = 1");
                statement.execute("ALTER ROLE " + statement.enquoteIdentifier(String.valueOf(user), true) + " PASSWORD "
                        + statement.enquoteLiteral(String.valueOf(password)));
            }
        } catch (SQLException failure) {
            throw TestServerErrors.refused("ALTER ROLE", failure);
        }
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

    /** In its own database. */
    void execute(String sql) {
        try {
            Connection connection = connection();
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
                IDLE.add(connection);
            } catch (SQLException refused) {
                connection.close();
                throw refused;
            }
        } catch (SQLException failure) {
            throw TestServerErrors.refused(sql, failure);
        }
    }

    private Connection connection() throws SQLException {
        Connection idle = IDLE.poll();
        if (idle == null) {
            return dataSource().getConnection();
        }
        if (idle.isValid(60)) {
            return idle;
        }
        idle.close();
        return dataSource().getConnection();
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
