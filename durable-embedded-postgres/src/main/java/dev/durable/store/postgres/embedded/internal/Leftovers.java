package dev.durable.store.postgres.embedded.internal;

import dev.durable.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up temporary servers whose process and guardian were both killed. No process comes back to such a directory,
 * so each new temporary server looks for others like it.
 */
record Leftovers(ServerDirectory own, String prefix) {
    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

    void clear() throws IOException, InterruptedException {
        try (DirectoryStream<Path> directories =
                Files.newDirectoryStream(own.root().getParent(), prefix + "*")) {
            for (Path directory : directories) {
                try {
                    if (begun(directory)) {
                        clear(new ServerDirectory(directory, true));
                    }
                } catch (IOException | StoreUnavailableException inUseOrOfAnotherUser) {
                    LOG.debug("{} stays: {}", directory, inUseOrOfAnotherUser.toString());
                }
            }
        }
    }

    /**
     * Directories of other users are not touched: the parent folder is writable by all users, so they could be prepared
     * to mislead.
     */
    private boolean begun(Path directory) throws IOException {
        return Tree.ownerOf(directory) == Tree.ownerOf(own.root())
                && Files.exists(directory.resolve(own.lock().getFileName()));
    }

    /** By the rule of the package: only the process that removes the folder {@code attached} may stop the server. */
    private static void clear(ServerDirectory directory) throws IOException, InterruptedException {
        try (DirectoryLock lock = DirectoryLock.take(directory.lock(), Deadline.in(Duration.ZERO))) {
            new Attachments(directory).sweep();
            Files.delete(directory.attached());
            Optional<Postmaster> server = directory.server();
            if (server.isPresent()) {
                server.get().stop(Deadline.in(STOP_TIMEOUT));
            }
        } catch (DirectoryNotEmptyException inUse) {
            return;
        } catch (NoSuchFileException justBegunOrEnding) {
            return;
        }
        new Tree(directory.root()).delete();
    }
}
