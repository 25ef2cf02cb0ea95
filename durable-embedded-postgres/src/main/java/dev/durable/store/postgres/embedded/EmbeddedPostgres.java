package dev.durable.store.postgres.embedded;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.durable.StoreUnavailableException;
import dev.durable.store.HistoryStore;
import dev.durable.store.StoreSource;
import dev.durable.store.postgres.embedded.internal.EmbeddedServer;
import dev.durable.store.postgres.embedded.internal.FoundStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL that needs no installation, for development, samples and tests: its programs come with the
 * dependency {@code durable-embedded-postgres} and run as processes of their own on this machine.
 *
 * <pre>{@code
 * try (var postgres = EmbeddedPostgres.at(Path.of("data"))) {
 *     DataSource dataSource = postgres.pooledDataSource(10);
 *     …
 * }
 * }</pre>
 *
 * <p>A server whose directory is kept loses nothing that was committed: neither when this process is killed nor when the
 * machine loses power. Several processes may open the same directory at the same time: the first starts the server, the
 * others attach to it, and it stops when the last of them closes it, ends, or is killed.
 *
 * <p>The server listens on 127.0.0.1 only and asks for a password, which is made at random and kept in the directory,
 * readable by its owner. Text is UTF-8, sorted by code point; the time zone is UTC. Linux and macOS; as root, the
 * server runs as the user {@code nobody}, which has no rights on root's files.
 *
 * <p>Safe for use by several threads. For production, use a server that a DBA backs up.
 */
public final class EmbeddedPostgres implements StoreSource, AutoCloseable {
    /** Where {@link #atDefault()} keeps its data, below the working directory. */
    public static final Path DEFAULT_DIRECTORY = Path.of(".durable", "postgres");

    private static final int STORE_CONNECTIONS = 12;

    private final EmbeddedServer server;
    private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable HistoryStore store;

    EmbeddedPostgres(EmbeddedServer server) {
        this.server = server;
    }

    /**
     * The server of a directory, which is made if there is none. Always durable: {@code fsync}, {@code
     * synchronous_commit} and {@code full_page_writes} are on.
     *
     * @throws StoreUnavailableException if it cannot be started
     */
    public static EmbeddedPostgres at(Path directory) {
        return builder().directory(directory).start();
    }

    /**
     * The server in {@code .durable/postgres} below the working directory.
     *
     * @throws StoreUnavailableException if it cannot be started
     */
    public static EmbeddedPostgres atDefault() {
        return at(DEFAULT_DIRECTORY);
    }

    /**
     * An empty server for unit tests, whose data is deleted when it is closed or this process ends. It does not wait for
     * the disk ({@code fsync=off}); for measurements, use {@code builder().durable(true).start()}.
     *
     * @throws StoreUnavailableException if it cannot be started
     */
    public static EmbeddedPostgres temporary() {
        return builder().start();
    }

    /** For a port, settings, or programs of your own. Without a directory, the server is temporary. */
    public static EmbeddedPostgresBuilder builder() {
        return new EmbeddedPostgresBuilder();
    }

    /** The directory of the server, absolute. */
    public Path directory() {
        return server.directory();
    }

    /** The port on 127.0.0.1; a directory keeps its port from start to start where it can. */
    public int port() {
        return server.port();
    }

    /**
     * {@code durable}, the role that owns the database and may make databases and roles. It is no superuser: a
     * superuser could read and write the files of the user that the server runs as.
     */
    public String username() {
        return server.username();
    }

    /** Made at random when the directory was made. */
    public String password() {
        return server.password();
    }

    /** {@code postgres}: for what only a superuser may, as extensions, tablespaces and replication. */
    public String superuser() {
        return server.superuser();
    }

    /** Made at random when the directory was made; kept beside the data, readable by this process's user. */
    public String superuserPassword() {
        return server.superuserPassword();
    }

    /** Opens a new connection each time, as the superuser. Not for applications. */
    public DataSource superuserDataSource() {
        return dataSource(superuser(), superuserPassword());
    }

    /** The address of the database {@code postgres}, without user and password. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres";
    }

    /** Opens a new connection each time. */
    public DataSource dataSource() {
        return dataSource(username(), password());
    }

    private DataSource dataSource(String user, String password) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(jdbcUrl());
        source.setUser(user);
        source.setPassword(password);
        source.setSslMode("disable");
        return source;
    }

    /**
     * The history store in this server's database, on a pool of its own that is closed together with this.
     *
     * @throws StoreUnavailableException if {@code durable-history-store} is not on the class path
     */
    @Override
    public HistoryStore historyStore() {
        lock.lock();
        try {
            HistoryStore made = store;
            if (made == null) {
                made = FoundStore.on(pooledDataSource(STORE_CONNECTIONS));
                store = made;
            }
            return made;
        } finally {
            lock.unlock();
        }
    }

    /** A pool of at most so many connections, closed together with this. */
    public DataSource pooledDataSource(int connections) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("embedded-postgres-" + port());
        config.setDataSource(dataSource());
        config.setMaximumPoolSize(connections);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    /**
     * The version of the running server, for instance {@code 18.6}.
     *
     * @throws StoreUnavailableException if it does not answer
     */
    public String version() {
        try (Connection connection = dataSource().getConnection()) {
            return connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException failure) {
            throw new StoreUnavailableException(
                    "The embedded PostgreSQL in %s does not answer: %s. Its server.log may tell why."
                            .formatted(directory(), failure.getMessage()),
                    failure);
        }
    }

    /**
     * Closes the pools and leaves the server; returns when it has stopped, if no other process uses it. Once is enough.
     */
    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
        server.close();
    }
}
