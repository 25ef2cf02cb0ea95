package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** The paths that an archive may contain: none leads out of its folder. */
class TxzTest {
    @TempDir
    Path directory;

    @Test
    void links_within_the_folder_are_made() throws Exception {
        unpack(archive -> {
            file(archive, "lib/libpq.so.5.18", "pq");
            link(archive, TarConstants.LF_SYMLINK, "lib/libpq.so.5", "libpq.so.5.18");
            link(archive, TarConstants.LF_SYMLINK, "bin/libpq.so", "../lib/libpq.so.5");
            link(archive, TarConstants.LF_LINK, "share/pq", "lib/libpq.so.5.18");
        });
        for (String name : new String[] {"lib/libpq.so.5", "bin/libpq.so", "share/pq"}) {
            assertThat(folder().resolve(name)).hasContent("pq");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2, link,       /etc/passwd",
        "2, link,       ../victim",
        "2, a/link,     ../../victim",
        "2, link,       a/b/c/../../../../victim",
        "2, link,       a/../../victim",
        "2, x/y/deep/link, ../../victim", // deep is a link to a, which is nearer to the top
        "2, link,       here/../../victim",
        "1, link,       /etc/passwd",
        "1, link,       ../victim",
        "1, link,       here/../../victim",
    })
    void a_link_out_of_the_folder_is_refused(char kind, String name, String target) throws Exception {
        Path victim = Files.writeString(directory.resolve("victim"), "mine");
        assertThatThrownBy(() -> unpack(archive -> {
                    file(archive, "a/b/file", "x");
                    link(archive, TarConstants.LF_SYMLINK, "here", "a");
                    link(archive, TarConstants.LF_SYMLINK, "x/y/deep", "../../a");
                    link(archive, (byte) kind, name, target);
                    file(archive, name, "overwritten");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("the archive has a link out of its folder: " + name + " to " + target
                        + ". It is none of PostgreSQL's: download the jar of its binaries again.");
        assertThat(victim).hasContent("mine");
    }

    private Path folder() {
        return directory.resolve("folder");
    }

    private void unpack(Content content) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (TarArchiveOutputStream archive =
                new TarArchiveOutputStream(new XZOutputStream(packed, new LZMA2Options(0)))) {
            content.writeTo(archive);
        }
        Txz.unpack(new ByteArrayInputStream(packed.toByteArray()), Files.createDirectories(folder()));
    }

    private interface Content {
        void writeTo(TarArchiveOutputStream archive) throws IOException;
    }

    private static void file(TarArchiveOutputStream archive, String name, String content) throws IOException {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        archive.putArchiveEntry(entry);
        archive.write(bytes);
        archive.closeArchiveEntry();
    }

    private static void link(TarArchiveOutputStream archive, byte kind, String name, String target) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name, kind);
        entry.setLinkName(target);
        archive.putArchiveEntry(entry);
        archive.closeArchiveEntry();
    }
}
