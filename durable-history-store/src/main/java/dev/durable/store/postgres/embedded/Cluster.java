package dev.durable.store.postgres.embedded;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Sees to it that there is a data directory that the server can run on. A new one appears under its name only when it is
 * complete, so one that was interrupted is made again. Temporary ones are copies of the first of their version, as
 * {@code initdb} takes several times as long as a copy.
 */
record Cluster(ServerDirectory directory, Installation installation, RunAs runAs) {
    static final String USER = "durable";
    private static final String CONFIGURATION = "durable.conf";

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
        Files.writeString(directory.data().resolve(CONFIGURATION), settings);
        runAs.own(directory);
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
        Files.copy(template.resolve("password"), directory.passwordFile(), StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** Others may do the same just now: the first one's stays. */
    private void publish(Path template) throws IOException {
        Files.createDirectories(template.getParent());
        Path copy = Files.createTempDirectory(template.getParent(), "new-template-");
        new Tree(directory.data()).copyTo(copy.resolve("data"));
        Files.copy(directory.passwordFile(), copy.resolve("password"), StandardCopyOption.COPY_ATTRIBUTES);
        try {
            Files.move(copy, template, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException theirs) {
            new Tree(copy).delete();
        }
    }

    private void initialise() throws IOException, InterruptedException {
        Path unfinished = directory.root().resolve("data.unfinished");
        new Tree(unfinished).delete();
        writePassword();
        runAs.own(directory);
        Command.Outcome outcome = initdb(unfinished).run();
        if (!outcome.ok()) {
            throw EmbeddedErrors.notInitialised(directory.root(), outcome.output());
        }
        Files.writeString(
                unfinished.resolve("postgresql.conf"), "include '" + CONFIGURATION + "'\n", StandardOpenOption.APPEND);
        Files.move(unfinished, directory.data(), StandardCopyOption.ATOMIC_MOVE);
    }

    private Command initdb(Path data) {
        List<Object> words = new ArrayList<>(List.of(
                installation.initdb(),
                "--pgdata=" + data.getFileName(),
                "--username=" + USER,
                "--auth=scram-sha-256",
                "--pwfile=" + directory.passwordFile().getFileName(),
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

    private void writePassword() throws IOException {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        Files.deleteIfExists(directory.passwordFile());
        Path file = Files.createFile(
                directory.passwordFile(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, HexFormat.of().formatHex(random) + "\n");
    }
}
