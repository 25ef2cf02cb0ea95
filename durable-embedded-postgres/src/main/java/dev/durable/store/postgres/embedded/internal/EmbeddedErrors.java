package dev.durable.store.postgres.embedded.internal;

import dev.durable.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The error texts of the embedded server: what happened, where, the usual cause, the way out. */
public final class EmbeddedErrors {
    private static final String OWN_SERVER = "set DURABLE_JDBC_URL to a server of your own";

    private EmbeddedErrors() {}

    static StoreUnavailableException unsupported(Platform platform) {
        return new StoreUnavailableException(
                "The embedded PostgreSQL does not run on %s: it needs a POSIX shell. Run the application in WSL or a container, or %s."
                        .formatted(platform.os(), OWN_SERVER));
    }

    static StoreUnavailableException noBinaries(Platform platform) {
        return new StoreUnavailableException("""
                There is no PostgreSQL for this platform on the class path: no %1$s. Maven takes that of the platform \
                on which it runs, Gradle that of Linux on amd64. Add
                    io.zonky.test.postgres:%2$s (14.x to 18.x)
                or name an installed server with EmbeddedPostgres.builder().installation(…), or %3$s.""".formatted(platform.archive(), platform.artifact(), OWN_SERVER));
    }

    public static StoreUnavailableException noStore() {
        return new StoreUnavailableException(
                "There is no history store for this server on the class path. Add dev.durable:durable-history-store, as in production.");
    }

    static StoreUnavailableException cacheNotWritable(Path cache, IOException cause) {
        return new StoreUnavailableException(
                "PostgreSQL cannot be unpacked to %s (%s). Usually this user has no home directory, or a read-only one. Set XDG_CACHE_HOME, or use EmbeddedPostgres.builder().cacheDirectory(…)."
                        .formatted(cache, cause),
                cause);
    }

    static StoreUnavailableException notAnInstallation(Path home) {
        return new StoreUnavailableException(
                "%s is not a PostgreSQL installation: it has no program bin/postgres. installation(…) takes the folder above bin, for instance /usr/lib/postgresql/18."
                        .formatted(home));
    }

    static StoreUnavailableException programsDoNotRun(Path postgres, String output) {
        return new StoreUnavailableException("""
                %s does not run on this machine. Usually it was made for another processor or C library (on Alpine, take the \
                artifact that ends in -alpine). It said:
                %s""".formatted(postgres, indented(output)));
    }

    static StoreUnavailableException directoryNotWritable(Path directory, IOException cause) {
        return new StoreUnavailableException(
                "PostgreSQL cannot be kept in %s: %s cannot write there (%s). Give the directory to this user, or choose another one with EmbeddedPostgres.at(…)."
                        .formatted(directory, System.getProperty("user.name"), cause),
                cause);
    }

    static StoreUnavailableException notOwn(Path folder, Path culprit, String fault) {
        return new StoreUnavailableException(
                "%s is not used for the embedded PostgreSQL: %s %s, so another user could have put there what is run and read by this user. Usually it was made by another user, or with rights for all. Look at what is in it; then give it to this user and to no other (chown, chmod o-w), or choose another directory: for data EmbeddedPostgres.at(…) or durable.dev.data-directory, for programs XDG_CACHE_HOME or cacheDirectory(…)."
                        .formatted(folder, folder.equals(culprit) ? "it" : culprit, fault));
    }

    static StoreUnavailableException notSecret(Path file, String fault) {
        return new StoreUnavailableException(
                "%s %s, so its password is not a secret and the server beside it is not used. Usually the directory was copied or its rights were changed. Set the rights of the file (chmod 600), and change the passwords where others may have read them, or move the whole directory away to begin anew."
                        .formatted(file, fault));
    }

    static StoreUnavailableException notADataDirectory(Path data) {
        return new StoreUnavailableException(
                "%s is not a PostgreSQL data directory: it has no PG_VERSION. Move it away, or choose another directory."
                        .formatted(data));
    }

    static StoreUnavailableException otherVersion(Path data, String major, Installation installation) {
        return new StoreUnavailableException(
                "%s was created by PostgreSQL %s, but these binaries are %s: a server reads only the data of its own major version. Use binaries of version %s (in this project's build: -Dpg.version=%s.…), or move the directory away to begin anew."
                        .formatted(data, major, installation.version(), major, major));
    }

    static StoreUnavailableException passwordMissing(Path file) {
        return new StoreUnavailableException(
                "%s is missing, without which no client can connect to the server beside it. Put it back, or move the whole directory away to begin anew."
                        .formatted(file));
    }

    static StoreUnavailableException roleNotMade(Path directory, SQLException failure) {
        return new StoreUnavailableException(
                "The role of applications, %s, could not be made in the server in %s: %s. Usually the disk is full, or its data was taken from another server; begin anew with another directory, or put that server's %s and password beside the data."
                        .formatted(Cluster.USER, directory, failure.getMessage(), "superuser-password"),
                failure);
    }

    static StoreUnavailableException notInitialised(Path directory, String output) {
        return new StoreUnavailableException("""
                PostgreSQL could not make a data directory in %s. Usually the disk is full, or this user has no entry in \
                /etc/passwd. initdb said:
                %s""".formatted(directory, indented(output)));
    }

    static StoreUnavailableException refusesRoot(Path directory, List<String> failures) {
        return new StoreUnavailableException(
                """
                PostgreSQL refuses to run as root, and no way to run it as another user in %s works here:
                %s
                Run the application as another user, or %s.""".formatted(directory, indented(String.join("\n", failures)), OWN_SERVER));
    }

    static StoreUnavailableException portTaken(int port, @Nullable IOException cause) {
        return new StoreUnavailableException(
                "PostgreSQL cannot listen on port %d: another process does. Stop that one (ss -ltnp 'sport = :%d' shows it), or leave out port(…) to get a free one."
                        .formatted(port, port),
                cause);
    }

    static StoreUnavailableException otherPort(Path directory, int running, int asked) {
        return new StoreUnavailableException(
                "The server in %s is in use already, on port %d instead of the %d that was asked for. Leave out port(%d), or end the other processes that use it first."
                        .formatted(directory, running, asked, asked));
    }

    static StoreUnavailableException didNotStart(
            ServerDirectory directory, Installation installation, Deadline deadline, String log) {
        return new StoreUnavailableException("""
                PostgreSQL %s did not start in %s%s. The end of its log, %s:
                %s""".formatted(
                        installation.version(),
                        directory.root(),
                        deadline.passed() ? " within " + deadline.length().toSeconds() + " s" : "",
                        directory.log(),
                        indented(log)));
    }

    static StoreUnavailableException didNotStop(Postmaster server, Deadline deadline) {
        return new StoreUnavailableException(
                "The server on %s, process %d, was to stop before it is started again, but has not within %d s. Look at server.log beside it; if it is stuck, end that process."
                        .formatted(
                                server.directory().data(),
                                server.pid(),
                                deadline.length().toSeconds()));
    }

    static StoreUnavailableException lockHeld(Path file, Deadline deadline) {
        return new StoreUnavailableException(
                "%s was held by another process for %d s: one that starts or unpacks the same server. Usually that one is recovering much data: try again."
                        .formatted(file, deadline.length().toSeconds()));
    }

    static StoreUnavailableException usedFromAnotherContainer(Path directory) {
        return new StoreUnavailableException(
                "%s is in use by a process of another container: its server cannot be reached from here, and a second one would destroy the data. Give each container a directory of its own, or %s."
                        .formatted(directory, OWN_SERVER));
    }

    static StoreUnavailableException io(@Nullable Path directory, IOException failure) {
        return new StoreUnavailableException(
                "The embedded PostgreSQL%s could not be started: %s. Usually the disk is full or a file there belongs to another user."
                        .formatted(directory == null ? "" : " in " + directory, failure),
                failure);
    }

    static StoreUnavailableException interrupted(@Nullable Path directory, InterruptedException cause) {
        return new StoreUnavailableException(
                "The thread was interrupted while the embedded PostgreSQL%s was being started."
                        .formatted(directory == null ? "" : " in " + directory),
                cause);
    }

    static IllegalArgumentException noSettingName(String name) {
        return new IllegalArgumentException("\"%s\" is not the name of a server setting.".formatted(name));
    }

    static IllegalArgumentException durabilitySetting(String name) {
        return new IllegalArgumentException(
                "%s is not set one by one: a server whose directory is kept always writes to disk before it answers, a temporary one does so with durable(true)."
                        .formatted(name));
    }

    static IllegalArgumentException ourSetting(String name) {
        return new IllegalArgumentException(
                "%s is not for a setting: an embedded server listens on 127.0.0.1 only; choose the port with port(…)."
                        .formatted(name));
    }

    static IllegalArgumentException noPort(int port) {
        return new IllegalArgumentException("%d is not a port: 1 to 65535, or 0 for any that is free.".formatted(port));
    }

    private static String indented(String lines) {
        return lines.isBlank() ? "    (nothing)" : lines.indent(4).stripTrailing();
    }
}
