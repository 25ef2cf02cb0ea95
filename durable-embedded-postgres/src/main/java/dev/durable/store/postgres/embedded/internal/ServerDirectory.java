package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The layout of the directory of one embedded server. */
record ServerDirectory(Path root, boolean temporary) {
    private static final String TEMPORARY = "durable-postgres-";
    private static final long LOG_LIMIT = 1 << 20;
    static final String LOG = "server.log";
    static final String SETTINGS = "durable.conf";

    /**
     * Makes the folder if there is none yet; its path is then the one without links, as other processes see it. Refuses one
     * that another user can have prepared.
     */
    static ServerDirectory of(@Nullable Path directory) throws IOException {
        if (directory == null) {
            return new ServerDirectory(Files.createTempDirectory(TEMPORARY).toRealPath(), true);
        }
        OwnFolder own = new OwnFolder(directory);
        Path root = own.path();
        try {
            if (own.make("rwx------")) {
                Files.writeString(root.resolve(".gitignore"), "*\n");
            }
            Files.delete(Files.createTempFile(root, "writable-", ""));
        } catch (IOException failure) {
            throw EmbeddedErrors.directoryNotWritable(root, failure);
        }
        ServerDirectory kept = new ServerDirectory(root.toRealPath(), false);
        own.checkSecret(kept.passwordFile());
        own.checkSecret(kept.superuserPasswordFile());
        return kept;
    }

    /** Other temporary ones, beside it, whose processes have died. */
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

    /** That of the superuser, which the server's owner has and applications do not. */
    Path superuserPasswordFile() {
        return root.resolve("superuser-password");
    }

    /** In the folder of the server's user, as the server writes it. */
    Path log() {
        return data().resolve(LOG);
    }

    /** The settings of each start, which the server's own configuration includes. */
    Path settings() {
        return root.resolve(SETTINGS);
    }

    /**
     * Writes one of the files beside the data: under its name at once and whole, and never through a link that another
     * user has put there.
     *
     * @param permissions as {@code rw-------}
     */
    void write(Path file, String text, String permissions) throws IOException {
        Path written = Files.createTempFile(root, "new-", "");
        try {
            Files.writeString(written, text);
            Files.setPosixFilePermissions(written, PosixFilePermissions.fromString(permissions));
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(written);
        }
    }

    /** The {@code cluster_name} of its server. */
    String name() {
        return "durable-%08x".formatted(root.toString().hashCode());
    }

    /**
     * Returns whether a process is this directory's server, or the one that starts it: both have the server's name
     * among their arguments. Pids come back after a restart, in containers nearly always to another process.
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
        return password(passwordFile());
    }

    String superuserPassword() throws IOException {
        return password(superuserPasswordFile());
    }

    private static String password(Path file) throws IOException {
        if (Files.notExists(file)) {
            throw EmbeddedErrors.passwordMissing(file);
        }
        return Files.readString(file).strip();
    }

    /** The port of the last start, 0 if there was none: a server that comes back where it was finds its clients again. */
    int lastPort() throws IOException {
        Path file = root.resolve("port");
        String text = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                ? Files.readString(file).strip()
                : "";
        return text.matches("\\d{1,5}") ? Integer.parseInt(text) : 0;
    }

    void rememberPort(int port) throws IOException {
        write(root.resolve("port"), port + "\n", "rw-r--r--");
    }

    /** Sees that there is a new log when the last has grown; called while no server writes to it. */
    void turnLog() throws IOException {
        if (Files.exists(log()) && Files.size(log()) > LOG_LIMIT) {
            Files.move(log(), data().resolve(LOG + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
