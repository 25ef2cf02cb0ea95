package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class TreeTest {
    @TempDir
    Path folder;

    /** As another process does that asks whether the folder can be written, while this one prepares it. */
    @Test
    void files_that_come_and_go_meanwhile_are_nobodys_error() throws Exception {
        for (int i = 0; i < 50; i++) {
            Files.createDirectories(folder.resolve("stays-" + i).resolve("below"));
        }
        int owner = Tree.ownerOf(folder);
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Integer> other = CompletableFuture.supplyAsync(() -> comeAndGo(enough));

        for (int i = 0; i < 300 && !other.isDone(); i++) {
            new Tree(folder).giveTo(owner);
        }
        enough.set(true);

        assertThat(other.get()).as("files that came and went").isPositive();
        assertThat(folder.resolve("stays-49/below")).isDirectory();
        new Tree(folder).delete();
        assertThat(folder).doesNotExist();
        new Tree(folder).delete();
    }

    private int comeAndGo(AtomicBoolean enough) {
        int times = 0;
        try {
            while (!enough.get()) {
                Files.delete(Files.createTempFile(folder, "writable-", ""));
                times++;
            }
            return times;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
