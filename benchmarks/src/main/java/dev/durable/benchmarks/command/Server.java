package dev.durable.benchmarks.command;

import dev.durable.StoreUnavailableException;
import dev.durable.benchmarks.Database;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL that all contestants share: the one that {@code DURABLE_JDBC_URL} names, else an embedded one that waits
 * for the disk. Each measurement gets a database of its own, which is dropped after it.
 */
final class Server implements AutoCloseable {
    private static final String DATABASE = "durable_benchmark";
    /**
     * The settings of a small production server: a quarter of 8 GB of memory, and so much room for the log that
     * checkpoints do not come by volume: there is one before each measurement, and the next after some 4 GB of log,
     * which no contestant fills in the time that a measurement takes. The rest stays as PostgreSQL ships.
     */
    private static final Map<String, String> SETTINGS = Map.of(
            "shared_buffers",
            "2GB",
            "min_wal_size",
            "4GB",
            "max_wal_size",
            "8GB",
            "checkpoint_timeout",
            "15min",
            "max_connections",
            "200");

    /** Of 16 MiB each; as many as {@code min_wal_size} keeps. */
    private static final int WAL_SEGMENTS = 256;

    private static final List<String> SHOWN = List.of(
            "fsync",
            "synchronous_commit",
            "full_page_writes",
            "wal_sync_method",
            "shared_buffers",
            "min_wal_size",
            "max_wal_size",
            "checkpoint_timeout");

    private final Database admin;
    private final @Nullable EmbeddedPostgres embedded;

    private Server(Database admin, @Nullable EmbeddedPostgres embedded) {
        this.admin = admin;
        this.embedded = embedded;
    }

    /** There is no server to measure on; says why in a sentence. */
    static final class NotThere extends Exception {
        private static final long serialVersionUID = 1L;

        NotThere(String why, Throwable cause) {
            super(why, cause);
        }
    }

    /** @throws NotThere if it does not start, or does not answer */
    static Server open(Path directory) throws NotThere {
        try {
            return opened(directory);
        } catch (StoreUnavailableException e) {
            throw new NotThere(String.valueOf(e.getMessage()), e);
        } catch (SQLException e) {
            throw new NotThere("the server does not answer: " + e.getMessage(), e);
        }
    }

    private static Server opened(Path directory) throws SQLException {
        String url = System.getenv("DURABLE_JDBC_URL");
        if (url != null && !url.isBlank()) {
            Database named = new Database(
                    url,
                    System.getenv().getOrDefault("DURABLE_JDBC_USER", "postgres"),
                    System.getenv().getOrDefault("DURABLE_JDBC_PASSWORD", ""));
            named.texts("select 1");
            return new Server(named, null);
        }
        EmbeddedPostgres embedded = EmbeddedPostgres.builder()
                .directory(directory)
                .settings(SETTINGS)
                .start();
        Database admin = new Database(embedded.jdbcUrl(), embedded.superuser(), embedded.superuserPassword());
        age(admin);
        return new Server(admin, embedded);
    }

    /**
     * A server that has run for a while writes its log into files that it used before; one that is new makes each first
     * and fills it with zeros, which costs as much as what is written into it.
     */
    private static void age(Database admin) throws SQLException {
        for (int i = 0; i < WAL_SEGMENTS; i++) {
            admin.execute("select pg_logical_emit_message(false, 'durable', 'next segment'), pg_switch_wal()");
        }
        admin.execute("checkpoint");
    }

    /** An empty database, in place of the one before. */
    Database fresh() throws SQLException {
        admin.execute("drop database if exists " + DATABASE + " with (force)");
        admin.execute("create database " + DATABASE + " template template0");
        return new Database(inDatabase(admin.url()), admin.user(), admin.password());
    }

    private static String inDatabase(String url) {
        int query = url.indexOf('?');
        String address = query < 0 ? url : url.substring(0, query);
        String options = query < 0 ? "" : url.substring(query);
        return address.substring(0, address.lastIndexOf('/') + 1) + DATABASE + options;
    }

    /** Version and what decides how long a commit takes. */
    String settings() throws SQLException {
        List<String> all = new ArrayList<>();
        all.add("PostgreSQL " + admin.texts("show server_version").getFirst());
        for (String name : SHOWN) {
            all.add(name + "=" + admin.texts("show " + name).getFirst());
        }
        return String.join(", ", all);
    }

    @Override
    public void close() throws SQLException {
        admin.execute("drop database if exists " + DATABASE + " with (force)");
        if (embedded != null) {
            embedded.close();
        }
    }
}
