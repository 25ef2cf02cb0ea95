package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The processes that use an embedded server: one file each, whose lock its owner holds as long as it lives. Called with the
 * directory's lock held; leaving needs none (see the package).
 */
record Attachments(ServerDirectory directory) {
    /** Pid and start: after a restart a container's process has the same pid again. */
    private static final String SELF = self(ProcessHandle.current());

    /** Null when the last user has left meanwhile: the folder is gone, and the server is on its way out. */
    @Nullable
    Attachment join() throws IOException {
        Path file = directory.attached().resolve(SELF + UUID.randomUUID());
        FileChannel entry;
        try {
            entry = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (NoSuchFileException stopping) {
            return null;
        }
        try {
            entry.lock();
            entry.write(StandardCharsets.UTF_8.encode(machine()));
            return new Attachment(
                    entry, Guardian.watch(directory, file.getFileName().toString()));
        } catch (Throwable failure) {
            entry.close();
            Files.deleteIfExists(file);
            throw failure;
        }
    }

    /** For a server that is about to be started. */
    Attachment first() throws IOException {
        while (true) {
            Files.createDirectories(directory.attached());
            Attachment attachment = join();
            if (attachment != null) {
                return attachment;
            }
        }
    }

    /** Removes the files of users that were killed together with their guardians. */
    void sweep() throws IOException {
        for (Path file : files()) {
            if (!held(file)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /**
     * No server is to be seen; but from inside another container one would not be. Two servers on the same data destroy
     * it, so this is no time for optimism.
     */
    void refuseOtherMachines() throws IOException {
        for (Path file : files()) {
            if (held(file) && !Files.readString(file).equals(machine())) {
                throw EmbeddedErrors.usedFromAnotherContainer(directory.root());
            }
        }
    }

    private List<Path> files() throws IOException {
        if (Files.notExists(directory.attached())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory.attached())) {
            return files.toList();
        }
    }

    /** Ours are not looked at: closing a second handle on the file would drop the lock of the first. */
    private static boolean held(Path file) throws IOException {
        if (file.getFileName().toString().startsWith(SELF)) {
            return true;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            return DirectoryLock.tryLock(channel) == null;
        } catch (NoSuchFileException gone) {
            return false;
        } catch (AccessDeniedException anotherUsers) {
            return true;
        }
    }

    private static String self(ProcessHandle process) {
        long started = process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
        return process.pid() + "-" + started + "-";
    }

    /** Where pids mean the same: this boot of this machine, this container. */
    private static String machine() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                    + Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
        } catch (IOException noLinux) {
            return "this machine";
        }
    }
}
