package dev.durable.store.postgres.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/**
 * An empty database of a test's own, on a real PostgreSQL that all tests of this process share. Make one per test class:
 * it takes some 30 ms.
 *
 * <p>The system property {@code durable.test.postgres} chooses the server:
 *
 * <ul>
 *   <li>{@code embedded} (the default): {@link dev.durable.store.postgres.embedded.EmbeddedPostgres#temporary()}
 *   <li>{@code testcontainers}: a container of {@code postgres:18-alpine}, or of what {@code durable.test.postgres.image}
 *       names
 *   <li>{@code url}: the server of the environment variables {@code DURABLE_JDBC_URL}, {@code DURABLE_JDBC_USER} and
 *       {@code DURABLE_JDBC_PASSWORD}, where this user may create databases
 * </ul>
 *
 * Safe for use by several threads.
 */
public final class TestDatabase implements AutoCloseable {
    private final TestServer server;
    private final String name;
    private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();

    private TestDatabase(TestServer server, String name) {
        this.server = server;
        this.name = name;
    }

    /**
     * Creates a database, and starts the server if this is the first.
     *
     * @throws dev.durable.StoreUnavailableException if there is no server to be had; the message says why and what to do
     */
    public static TestDatabase create() {
        return create("template0");
    }

    /**
     * Creates a copy of another database, to which nobody may be connected meanwhile: quicker than migrating once more.
     *
     * @throws dev.durable.StoreUnavailableException if the server refuses, for instance because somebody is connected
     */
    public static TestDatabase copyOf(TestDatabase original) {
        return create(original.name);
    }

    private static TestDatabase create(String template) {
        TestServer server = TestServer.shared();
        String name = "test_" + UUID.randomUUID().toString().replace("-", "");
        server.execute("CREATE DATABASE " + name + " TEMPLATE " + template);
        return new TestDatabase(server, name);
    }

    /** Its name on the server. */
    public String name() {
        return name;
    }

    /** Opens a new connection each time. */
    public DataSource dataSource() {
        return server.dataSource(name);
    }

    /** A pool of at most so many connections, closed together with this. */
    public DataSource pooledDataSource(int connections) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(dataSource());
        config.setMaximumPoolSize(connections);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    /** Its address, for what takes no {@link DataSource}; with what parameters the server's URL had. */
    public String jdbcUrl() {
        return server.dataSource(name).getUrl();
    }

    /** The user to connect as. */
    public String username() {
        return String.valueOf(server.dataSource().getUser());
    }

    /** That user's password; empty if it needs none. */
    public String password() {
        String password = server.dataSource().getPassword();
        return password == null ? "" : password;
    }

    /** Closes its pools, cuts its connections and drops it. Once is enough. */
    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
        server.execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }
}
