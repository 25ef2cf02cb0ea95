package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Creates and configures the data directory (database cluster) of an embedded server. A new one appears under its name
 * only when it is complete, so one that was interrupted is made again. Temporary ones are copies of the first of their
 * version, as {@code initdb} takes several times as long as a copy.
 *
 * <p>Applications connect as {@value #USER}, a role that owns the database and may make others and roles, but is no
 * superuser: a superuser reads and writes the files of the user that the server runs as.
 */
record Cluster(ServerDirectory directory, Installation installation, RunAs runAs) {
    static final String USER = "durable";
    static final String SUPERUSER = "postgres";
    static final String DATABASE = "postgres";
    private static final String SECRET = "rw-------";

    void prepare() throws IOException, InterruptedException {
        if (Files.exists(directory.data())) {
            checkVersion();
        } else if (directory.temporary()) {
            copyTemplate();
        } else {
            initialise();
        }
    }

    /** Written before each start. */
    void configure(String settings) throws IOException {
        directory.write(directory.settings(), settings, "rw-r--r--");
    }

    /**
     * Makes the role of applications at the first start, or gives it another password where that is lost. A copy of the
     * template has the superuser's password from there, so it gets its own. Called with the directory's lock held.
     */
    static void makeRole(ServerDirectory directory, int port) throws IOException {
        if (Files.exists(directory.passwordFile())) {
            return;
        }
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE);
        source.setUser(SUPERUSER);
        source.setPassword(directory.superuserPassword());
        source.setSslMode("disable");
        String password = randomPassword();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            try (ResultSet made = statement.executeQuery("select 1 from pg_roles where rolname = '" + USER + "'")) {
                // Up to PostgreSQL 15, a role that may make roles may grant itself those of the server's programs and
                // files.
                boolean makesRoles = connection.getMetaData().getDatabaseMajorVersion() >= 16;
                statement.execute((made.next() ? "alter role " : "create role ") + USER + " login createdb "
                        + (makesRoles ? "createrole" : "nocreaterole") + " password '" + password + "'");
            }
            statement.execute("grant pg_monitor to " + USER);
            statement.execute("alter database " + DATABASE + " owner to " + USER);
            if (directory.temporary()) {
                String own = randomPassword();
                statement.execute("alter role " + SUPERUSER + " password '" + own + "'");
                directory.write(directory.superuserPasswordFile(), own + "\n", SECRET);
            }
        } catch (SQLException failure) {
            throw EmbeddedErrors.roleNotMade(directory.root(), failure);
        }
        directory.write(directory.passwordFile(), password + "\n", SECRET);
    }

    private void checkVersion() throws IOException {
        Path file = directory.data().resolve("PG_VERSION");
        if (Files.notExists(file)) {
            throw EmbeddedErrors.notADataDirectory(directory.data());
        }
        String major = Files.readString(file).strip();
        if (!major.equals(Integer.toString(installation.major()))) {
            throw EmbeddedErrors.otherVersion(directory.data(), major, installation);
        }
    }

    private void copyTemplate() throws IOException, InterruptedException {
        Path template = installation.template();
        if (Files.notExists(template)) {
            initialise();
            publish(template);
            return;
        }
        new Tree(template.resolve("data")).copyTo(directory.data());
        runAs.own(directory.data());
        String password = Files.readString(
                template.resolve(directory.superuserPasswordFile().getFileName()));
        directory.write(directory.superuserPasswordFile(), password, SECRET);
    }

    /** Others may do the same just now: the first one's stays. */
    private void publish(Path template) throws IOException {
        Files.createDirectories(template.getParent());
        Path copy = Files.createTempDirectory(template.getParent(), "new-template-");
        new Tree(directory.data()).copyTo(copy.resolve("data"));
        Files.copy(
                directory.superuserPasswordFile(),
                copy.resolve(directory.superuserPasswordFile().getFileName()),
                StandardCopyOption.COPY_ATTRIBUTES);
        try {
            Files.move(copy, template, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException theirs) {
            new Tree(copy).delete();
        }
    }

    private void initialise() throws IOException, InterruptedException {
        Path unfinished = directory.root().resolve("data.unfinished");
        new Tree(unfinished).delete();
        String password = randomPassword();
        Path passwordFile = directory.root().resolve("password.unfinished");
        directory.write(passwordFile, password + "\n", SECRET);
        runAs.own(passwordFile);
        Files.createDirectory(
                unfinished, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        runAs.own(unfinished);
        Command.Outcome outcome = initdb(unfinished, passwordFile).run();
        Files.delete(passwordFile);
        if (!outcome.ok()) {
            throw EmbeddedErrors.notInitialised(directory.root(), outcome.output());
        }
        Files.writeString(
                unfinished.resolve("postgresql.conf"),
                "include '../" + ServerDirectory.SETTINGS + "'\n",
                StandardOpenOption.APPEND,
                LinkOption.NOFOLLOW_LINKS);
        directory.write(directory.superuserPasswordFile(), password + "\n", SECRET);
        Files.deleteIfExists(directory.passwordFile());
        Files.move(unfinished, directory.data(), StandardCopyOption.ATOMIC_MOVE);
    }

    private Command initdb(Path data, Path password) {
        List<Object> words = new ArrayList<>(List.of(
                installation.initdb(),
                "--pgdata=" + data.getFileName(),
                "--username=" + SUPERUSER,
                "--auth=scram-sha-256",
                "--pwfile=" + password.getFileName(),
                "--encoding=UTF8",
                "--locale=C"));
        if (installation.major() >= 17) {
            words.addAll(List.of("--locale-provider=builtin", "--builtin-locale=C.UTF-8"));
        }
        if (directory.temporary()) {
            words.add("--no-sync");
        }
        return Command.in(directory.root(), runAs.prefix(), words.toArray());
    }

    private static String randomPassword() {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
