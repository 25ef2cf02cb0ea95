package dev.durable.store.postgres.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.store.HistoryStore;
import dev.durable.store.postgres.embedded.internal.FoundStore;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

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
    private static @Nullable MigratedCopies copies;

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
     * Gives a database that has the tables of Durable already: a copy of one that this process has migrated when it was
     * first asked for, and so several times as quick as {@link #create} and the opening of a store. From the second on, the
     * next is made in the background.
     *
     * @throws dev.durable.StoreUnavailableException if there is no server to be had, or it refuses, or no history
     *     store is on the class path
     */
    public static TestDatabase migrated() {
        return copies().take();
    }

    private static synchronized MigratedCopies copies() {
        MigratedCopies known = copies;
        if (known == null) {
            TestDatabase template = template();
            MigratedCopies made = new MigratedCopies(() -> migratedCopyOf(template), MigratedCopies.daemons());
            if (TestServer.isShared()) {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> drop(made, template), "drop-template"));
            }
            copies = made;
            known = made;
        }
        return known;
    }

    private static TestDatabase template() {
        TestDatabase made = create();
        try (HistoryStore store = FoundStore.on(made.dataSource())) {
            store.open();
        }
        return made;
    }

    private static TestDatabase migratedCopyOf(TestDatabase template) {
        TestDatabase made = copyOf(template);
        // Else the copy would write into its audit that it has moved here.
        TestServer.execute(made.dataSource(), """
                update durable.installation
                   set channel = default, (database_id, database) = (select d.database_id, d.database from durable.this_database() d)""");
        return made;
    }

    private static void drop(MigratedCopies copies, TestDatabase template) {
        copies.close();
        template.close();
    }

    /**
     * Creates a copy of another database, to which no client may be connected meanwhile: quicker than migrating once
     * more.
     *
     * @throws dev.durable.StoreUnavailableException if the server refuses, for instance because a client is connected
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
        // A connection costs the server more than most tests do with it: no more of them than are needed at once.
        config.setMinimumIdle(1);
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
