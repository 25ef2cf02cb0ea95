package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Server programs, unpacked once per user and version: {@code <version>-<fingerprint of the archive>}. A folder appears
 * under its final name only when it is complete.
 */
record BinaryCache(Path folder) {
    private static final String UNFINISHED = "unpacking-";

    Installation install(BinaryArchive archive, Deadline deadline) throws IOException, InterruptedException {
        make();
        String fingerprint = archive.fingerprint();
        Optional<Installation> present = find(fingerprint);
        if (present.isPresent()) {
            return present.get();
        }
        try (DirectoryLock lock = DirectoryLock.take(folder.resolve("lock"), deadline)) {
            Optional<Installation> meanwhile = find(fingerprint);
            return meanwhile.isPresent() ? meanwhile.get() : unpack(archive, fingerprint);
        }
    }

    /** Makes the folder if there is none yet, and refuses one that another user can have prepared. */
    void make() throws IOException {
        OwnFolder own = new OwnFolder(folder);
        own.check();
        try {
            own.make("rwxr-xr-x");
        } catch (IOException failure) {
            throw EmbeddedErrors.cacheNotWritable(folder, failure);
        }
    }

    private Optional<Installation> find(String fingerprint) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> name.matches("\\d.*-" + fingerprint))
                    .findAny()
                    .map(this::installation);
        }
    }

    private Installation installation(String name) {
        String version = name.substring(0, name.lastIndexOf('-'));
        return new Installation(folder.resolve(name), version, folder.resolve("template-" + name));
    }

    private Installation unpack(BinaryArchive archive, String fingerprint) throws IOException, InterruptedException {
        clearUnfinished();
        Path unfinished = Files.createTempDirectory(folder, UNFINISHED);
        archive.unpackTo(unfinished);
        Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rwxr-xr-x"));
        String name = Installation.askVersion(unfinished) + "-" + fingerprint;
        Files.move(unfinished, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        return installation(name);
    }

    /** Removes what a process left that was killed while unpacking; this process holds the lock. */
    private void clearUnfinished() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : (Iterable<Path>) entries::iterator) {
                if (entry.getFileName().toString().startsWith(UNFINISHED)) {
                    new Tree(entry).delete();
                }
            }
        }
    }
}
