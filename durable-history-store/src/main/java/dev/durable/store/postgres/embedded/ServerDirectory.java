package dev.durable.store.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The folder of one server: what lies where in it. */
record ServerDirectory(Path root, boolean temporary) {
    private static final String TEMPORARY = "durable-postgres-";
    private static final long LOG_LIMIT = 1 << 20;

    /** Makes the folder if there is none yet; its path is then the one without links, as other processes see it. */
    static ServerDirectory of(@Nullable Path directory) throws IOException {
        if (directory == null) {
            return new ServerDirectory(Files.createTempDirectory(TEMPORARY).toRealPath(), true);
        }
        Path root = directory.toAbsolutePath().normalize();
        try {
            if (Files.notExists(root)) {
                Files.createDirectories(root);
                Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
                Files.writeString(root.resolve(".gitignore"), "*\n");
            }
            Files.delete(Files.createTempFile(root, "writable-", ""));
        } catch (IOException failure) {
            throw EmbeddedErrors.directoryNotWritable(root, failure);
        }
        return new ServerDirectory(root.toRealPath(), false);
    }

    /** Other temporary ones, beside it, that nobody will come back to. */
    Leftovers leftovers() {
        return new Leftovers(this, TEMPORARY);
    }

    Path lock() {
        return root.resolve("lock");
    }

    Path data() {
        return root.resolve("data");
    }

    Path attached() {
        return root.resolve("attached");
    }

    Path passwordFile() {
        return root.resolve("password");
    }

    Path log() {
        return root.resolve("server.log");
    }

    /** What its server calls itself. */
    String name() {
        return "durable-%08x".formatted(root.toString().hashCode());
    }

    /**
     * Whether a process is this directory's server, or the one that starts it: both have the server's name among their
     * arguments. Pids come back after a restart, in containers nearly always to another process.
     */
    boolean marks(ProcessHandle process) {
        String mark = "cluster_name=" + name();
        String[] arguments = process.info().arguments().orElse(new String[0]);
        return process.isAlive() && Arrays.stream(arguments).anyMatch(argument -> argument.contains(mark));
    }

    /** The pid of the program that is starting the server; left behind by a process that was killed meanwhile. */
    Path starter() {
        return root.resolve("starter");
    }

    boolean beingStarted() throws IOException {
        if (Files.notExists(starter())) {
            return false;
        }
        String pid = Files.readString(starter()).strip();
        return pid.matches("\\d+")
                && ProcessHandle.of(Long.parseLong(pid)).filter(this::marks).isPresent();
    }

    /** The server that runs on the data now. */
    Optional<Postmaster> server() throws IOException {
        return Postmaster.on(this);
    }

    String password() throws IOException {
        if (Files.notExists(passwordFile())) {
            throw EmbeddedErrors.passwordMissing(passwordFile());
        }
        return Files.readString(passwordFile()).strip();
    }

    /** The port of the last start, 0 if there was none: a server that comes back where it was finds its clients again. */
    int lastPort() throws IOException {
        Path file = root.resolve("port");
        return Files.exists(file) ? Integer.parseInt(Files.readString(file).strip()) : 0;
    }

    void rememberPort(int port) throws IOException {
        Files.writeString(root.resolve("port"), port + "\n");
    }

    /** Sees that there is a log, a new one when the last has grown; called while no server writes to it. */
    void turnLog() throws IOException {
        if (Files.exists(log()) && Files.size(log()) > LOG_LIMIT) {
            Files.move(log(), root.resolve("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        if (Files.notExists(log())) {
            Files.createFile(log());
        }
    }
}
