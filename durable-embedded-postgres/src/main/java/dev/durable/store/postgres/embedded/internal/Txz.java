package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** Unpacks a {@code .tar.xz}. */
final class Txz {
    private Txz() {}

    static void unpack(InputStream packed, Path folder) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(packed))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(entry, tar, folder);
            }
        }
    }

    private static void unpack(TarArchiveEntry entry, InputStream content, Path folder) throws IOException {
        Path target = entry.resolveIn(folder); // refuses to leave the folder
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return;
        }
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, within(folder, target.resolveSibling(""), entry));
        } else if (entry.isLink()) {
            Files.createLink(target, folder.resolve(within(folder, folder, entry)));
        } else {
            Files.copy(content, target);
            boolean program = (entry.getMode() & 0100) != 0;
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
        }
    }

    /**
     * Where a link leads, seen from a directory: a path that stays in the folder, whatever links it passes on the way. Hence
     * {@code ..} only at its beginning, where no link can have gone before it.
     */
    private static Path within(Path folder, Path from, TarArchiveEntry entry) throws IOException {
        Path named = Path.of(entry.getLinkName());
        Path end = from.toRealPath().resolve(named).normalize();
        if (named.isAbsolute() || !named.equals(named.normalize()) || !end.startsWith(folder.toRealPath())) {
            throw new IOException("the archive has a link out of its folder: " + entry.getName() + " to "
                    + entry.getLinkName() + ". It is none of PostgreSQL's: download the jar of its binaries again.");
        }
        return named;
    }
}
