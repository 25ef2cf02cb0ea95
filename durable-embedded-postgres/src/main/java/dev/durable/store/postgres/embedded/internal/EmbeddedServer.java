package dev.durable.store.postgres.embedded.internal;

import dev.durable.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** A handle of a running embedded server, which this process has started or found running. */
public final class EmbeddedServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedServer.class);

    /**
     * Keeps servers that were not closed reachable: if a lock were garbage-collected, other processes would take its
     * owner for dead.
     */
    private static final Set<EmbeddedServer> OPEN = ConcurrentHashMap.newKeySet();

    private final Path root;
    private final Attachment attachment;
    private final int port;
    private final String password;
    private final String superuserPassword;
    private final AtomicBoolean closed = new AtomicBoolean();

    EmbeddedServer(ServerDirectory directory, Attachment attachment, int port) throws IOException {
        this.root = directory.root();
        this.attachment = attachment;
        this.port = port;
        this.password = directory.password();
        this.superuserPassword = directory.superuserPassword();
    }

    /**
     * Starts the server of a directory, or attaches to the one that runs there.
     *
     * @throws StoreUnavailableException if there is none afterwards; the message says why and what to do
     */
    public static EmbeddedServer open(ServerOptions options) {
        long began = System.nanoTime();
        try {
            EmbeddedServer server = enter(options);
            OPEN.add(server);
            Level level = options.directory() == null ? Level.DEBUG : Level.INFO;
            LOG.atLevel(level)
                    .log(
                            "PostgreSQL in {} on port {}: ready after {} ms",
                            server.root,
                            server.port,
                            Duration.ofNanos(System.nanoTime() - began).toMillis());
            return server;
        } catch (IOException failure) {
            throw EmbeddedErrors.io(options.directory(), failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw EmbeddedErrors.interrupted(options.directory(), interrupted);
        }
    }

    private static EmbeddedServer enter(ServerOptions options) throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(options.startTimeout());
        Installation installation = options.binaries().install(deadline);
        ServerDirectory directory = ServerDirectory.of(options.directory());
        if (directory.temporary()) {
            directory.leftovers().clear();
        }
        try (DirectoryLock lock = DirectoryLock.take(directory.lock(), deadline)) {
            return new Entry(directory, installation, options.settings(), deadline).enter();
        }
    }

    public Path directory() {
        return root;
    }

    public int port() {
        return port;
    }

    public String username() {
        return Cluster.USER;
    }

    public String password() {
        return password;
    }

    public String superuser() {
        return Cluster.SUPERUSER;
    }

    public String superuserPassword() {
        return superuserPassword;
    }

    /** Leaves the server; the last one to leave stops it, and returns when it has stopped. Once is enough. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            attachment.close();
        } catch (IOException failure) {
            LOG.warn("Closing the embedded PostgreSQL in {}: {}", root, failure.toString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            OPEN.remove(this);
        }
    }
}
