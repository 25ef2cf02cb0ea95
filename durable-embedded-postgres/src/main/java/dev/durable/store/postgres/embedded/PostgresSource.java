package dev.durable.store.postgres.embedded;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.StoreUnavailableException;
import dev.durable.internal.text.JdbcUrl;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Connects samples and tools to a database: to the server that the environment names, else to an {@link
 * EmbeddedPostgres}.
 *
 * <ul>
 *   <li>{@code DURABLE_JDBC_URL}: for instance {@code jdbc:postgresql://db.example.org/orders}
 *   <li>{@code DURABLE_JDBC_USER}, {@code DURABLE_JDBC_PASSWORD}: unless the URL has them
 * </ul>
 *
 * Safe for use by several threads.
 */
public final class PostgresSource implements AutoCloseable {
    static final String URL = "DURABLE_JDBC_URL";
    static final String USER = "DURABLE_JDBC_USER";
    static final String PASSWORD = "DURABLE_JDBC_PASSWORD";

    private static final int CONNECTIONS = 20;
    private static final int CONNECT_SECONDS = 10;

    private final DataSource dataSource;
    private final String description;
    private final AutoCloseable resource;

    private PostgresSource(DataSource dataSource, String description, AutoCloseable resource) {
        this.dataSource = dataSource;
        this.description = description;
        this.resource = resource;
    }

    /**
     * The server of the environment, else the embedded one in {@code .durable/postgres}.
     *
     * @throws StoreUnavailableException if it does not answer; the message shows no password
     */
    public static PostgresSource open() {
        return open(EmbeddedPostgres.DEFAULT_DIRECTORY);
    }

    /**
     * The server of the environment, else the embedded one in a directory.
     *
     * @throws StoreUnavailableException if it does not answer; the message shows no password
     */
    public static PostgresSource open(Path embeddedDirectory) {
        return open(System.getenv(), embeddedDirectory);
    }

    static PostgresSource open(Map<String, String> environment, Path embeddedDirectory) {
        String url = environment.getOrDefault(URL, "");
        if (!url.isBlank()) {
            return ofUrl(url, environment);
        }
        if (environment.containsKey(USER) || environment.containsKey(PASSWORD)) {
            throw PostgresSourceErrors.userWithoutUrl();
        }
        EmbeddedPostgres embedded = EmbeddedPostgres.at(embeddedDirectory);
        return new PostgresSource(
                embedded.pooledDataSource(CONNECTIONS),
                "embedded PostgreSQL in " + embedded.directory() + " (" + embedded.jdbcUrl() + ")",
                embedded);
    }

    private static PostgresSource ofUrl(String url, Map<String, String> environment) {
        PGSimpleDataSource server = simpleDataSource(url, environment);
        String shown = JdbcUrl.withoutSecrets(url);
        try (Connection connection = server.getConnection()) {
            HikariConfig config = new HikariConfig();
            config.setPoolName("durable");
            config.setDataSource(server);
            config.setMaximumPoolSize(CONNECTIONS);
            HikariDataSource pool = new HikariDataSource(config);
            return new PostgresSource(
                    pool, shown + " (PostgreSQL " + connection.getMetaData().getDatabaseProductVersion() + ")", pool);
        } catch (SQLException failure) {
            throw PostgresSourceErrors.unreachable(shown, failure);
        }
    }

    /** Unpooled, and asked nothing yet. */
    static PGSimpleDataSource simpleDataSource(String url, Map<String, String> environment) {
        if (!isOfDriver(url)) {
            throw PostgresSourceErrors.notAJdbcUrl(JdbcUrl.withoutSecrets(url));
        }
        return simpleDataSource(url, environment.getOrDefault(USER, ""), environment.getOrDefault(PASSWORD, ""));
    }

    /** The driver writes into its log what it can't parse, and asks the network for a host that is a password. */
    private static boolean isOfDriver(String url) {
        return JdbcUrl.isOfDriver(url) && Driver.parseURL(url, null) != null;
    }

    private static PGSimpleDataSource simpleDataSource(String url, String user, String password) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setLoginTimeout(CONNECT_SECONDS);
        source.setUrl(url);
        if (!user.isBlank()) {
            source.setUser(user);
        }
        if (!password.isEmpty()) {
            source.setPassword(password);
        }
        return source;
    }

    /** Pooled; closed together with this. */
    public DataSource dataSource() {
        return dataSource;
    }

    /** Which server it is, for people: its address and version, without passwords. */
    public String description() {
        return description;
    }

    /** Closes the pool, and leaves the embedded server if it is one. Once is enough. */
    @Override
    public void close() {
        try {
            resource.close();
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IllegalStateException("closing " + description, failure);
        }
    }

    @Override
    public String toString() {
        return description;
    }
}
