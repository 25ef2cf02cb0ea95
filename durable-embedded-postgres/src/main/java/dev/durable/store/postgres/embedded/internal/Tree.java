package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Copies and deletes a directory with all that is below it. */
record Tree(Path root) {

    /** Copies it with the rights of each file, but without waiting for the disk. */
    void copyTo(Path target) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                return copy(folder);
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                return copy(file);
            }

            private FileVisitResult copy(Path path) throws IOException {
                Files.copy(
                        path,
                        target.resolve(root.relativize(path)),
                        StandardCopyOption.COPY_ATTRIBUTES,
                        LinkOption.NOFOLLOW_LINKS);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Removes it; a file that another process removes meanwhile is no error. */
    void delete() throws IOException {
        Files.walkFileTree(root, new StillThere() {
            @Override
            void see(Path path) throws IOException {
                Files.deleteIfExists(path);
            }
        });
    }

    /**
     * Makes the given user the owner of all of it; only root may. Files that come and go meanwhile belong to another
     * process that looks at the same folder.
     */
    void giveTo(int uid) throws IOException {
        Files.walkFileTree(root, new StillThere() {
            @Override
            void see(Path path) throws IOException {
                if (ownerOf(path) != uid) {
                    Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
                }
            }
        });
    }

    static int ownerOf(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /** Sees each file, and each folder after what it holds, unless it is gone when its turn comes. */
    private abstract static class StillThere extends SimpleFileVisitor<Path> {
        abstract void see(Path path) throws IOException;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            return seeUnlessGone(file);
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            if (failure != null) {
                return visitFileFailed(folder, failure);
            }
            return seeUnlessGone(folder);
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        private FileVisitResult seeUnlessGone(Path path) throws IOException {
            try {
                see(path);
                return FileVisitResult.CONTINUE;
            } catch (NoSuchFileException e) {
                return visitFileFailed(path, e);
            }
        }
    }
}
