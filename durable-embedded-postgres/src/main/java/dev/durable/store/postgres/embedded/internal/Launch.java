package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Starts the server and returns when it accepts connections. */
record Launch(ServerDirectory directory, Installation installation, ServerSettings settings, Cluster cluster) {
    private static final int TRIES = 3;
    private static final int POLL_MILLIS = 4;
    private static final String PORT_TAKEN = "could not create any TCP/IP sockets";

    Postmaster start(Deadline deadline) throws IOException, InterruptedException {
        directory.turnLog();
        ServerLog log = ServerLog.from(directory.log());
        for (int attempt = 1; ; attempt++) {
            int port = choosePort();
            cluster.configure(settings.configuration(port));
            Optional<Postmaster> server = tryStart(deadline);
            if (server.isPresent()) {
                directory.rememberPort(port);
                return server.get();
            }
            // Another process took the port between our check of it and the server's.
            boolean portTaken = log.contains(PORT_TAKEN);
            if (portTaken && settings.portFixed()) {
                throw EmbeddedErrors.portTaken(port, null);
            }
            if (!portTaken || attempt == TRIES) {
                throw EmbeddedErrors.didNotStart(directory, installation, deadline, log.tail());
            }
        }
    }

    private int choosePort() throws IOException {
        if (settings.portFixed()) {
            bind(settings.port());
            return settings.port();
        }
        int last = directory.lastPort();
        try {
            return bind(last);
        } catch (IOException taken) {
            return bind(0);
        }
    }

    private int bind(int port) throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(loopback, port));
            return socket.getLocalPort();
        } catch (IOException taken) {
            if (settings.portFixed()) {
                throw EmbeddedErrors.portTaken(port, taken);
            }
            throw taken;
        }
    }

    /**
     * {@code pg_ctl} gives the server a session of its own and knows at once when it dies; but it looks only every 100
     * ms whether it is ready, so that is seen here.
     */
    private Optional<Postmaster> tryStart(Deadline deadline) throws IOException, InterruptedException {
        Files.deleteIfExists(Postmaster.pidFile(directory)); // stale: no server runs, and we hold the lock
        Process starter = Command.in(
                        directory.root(),
                        cluster.runAs().prefix(),
                        installation.pgCtl(),
                        "start",
                        "--silent",
                        "--wait",
                        "--timeout=" + Math.max(1, deadline.length().toSeconds()),
                        "--pgdata=data", // relative: pg_ctl hands the names to a shell, and does not quote them well
                        "--log=data/" + ServerDirectory.LOG,
                        "--options=-c cluster_name=" + directory.name())
                .start();
        directory.write(directory.starter(), starter.pid() + "\n", "rw-r--r--");
        try {
            return awaitReady(starter, deadline);
        } finally {
            Files.deleteIfExists(directory.starter());
        }
    }

    private Optional<Postmaster> awaitReady(Process starter, Deadline deadline)
            throws IOException, InterruptedException {
        while (true) {
            boolean ended = starter.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
            Optional<Postmaster> ready = directory.server().filter(Postmaster::ready);
            if (ready.isPresent() || deadline.passed()) {
                return ready;
            }
            if (ended) {
                // The log tells why, unless the server did not get as far as writing one.
                byte[] words = starter.getInputStream().readAllBytes();
                Files.write(
                        directory.log(),
                        words,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND,
                        LinkOption.NOFOLLOW_LINKS);
                return ready;
            }
        }
    }
}
