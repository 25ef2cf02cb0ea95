package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * A folder that no user but this one (and root) can have prepared, made or found: programs are run from it, passwords
 * and settings are read from it. Another user who could write there would run commands as this one.
 *
 * <p>The folder itself must belong to this user or root and must not be writable by all. So must each folder above it that
 * lies below a folder with the sticky bit in which all may write, such as {@code /tmp}: there another user may have been
 * first to make it. Below any folder in which all may write nothing may be a link. Elsewhere links are followed where this
 * user or root has made them, and folders above that are writable by all are taken as they are: in containers of build
 * servers all of them are.
 */
record OwnFolder(Path path) {
    private static final int ROOT = 0;
    private static final int ALL_MAY_WRITE = 0002;
    private static final int STICKY = 01000;
    private static final int OTHERS_MAY_READ = 0044;
    /** Links that are followed: more are a circle. */
    private static final int MOST_LINKS = 40;

    OwnFolder {
        path = path.toAbsolutePath().normalize();
    }

    /** How much of the way down can be written by all. */
    private record Surroundings(boolean shared, boolean sticky) {
        Surroundings below(int mode) {
            boolean open = (mode & ALL_MAY_WRITE) != 0;
            return new Surroundings(shared || open, sticky || (open && (mode & STICKY) != 0));
        }
    }

    /**
     * Checks the folders that exist, and makes the missing ones so that no other user can write in them.
     *
     * @param permissions of the folder itself, as {@code rwx------}
     * @return whether it was made
     * @throws dev.durable.StoreUnavailableException if another user can have changed it; nothing was written then
     */
    boolean make(String permissions) throws IOException {
        check();
        if (Files.exists(path)) {
            return false;
        }
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(
                    parent, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        }
        Files.createDirectories(
                path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
        // Another process may have been quicker.
        check();
        return true;
    }

    /** Refuses it where another user can have changed it; a folder that does not exist yet is right. */
    void check() throws IOException {
        int self = self();
        Path at = path.getRoot();
        Path rest = at.relativize(path);
        Surroundings around = new Surroundings(false, false).below(mode(at));
        int links = 0;
        while (!rest.toString().isEmpty()) {
            Path next = at.resolve(rest.getName(0));
            rest = rest.getNameCount() == 1 ? Path.of("") : rest.subpath(1, rest.getNameCount());
            boolean last = rest.toString().isEmpty();
            Attributes found = attributes(next);
            if (found == null) {
                return;
            }
            int owner = found.owner();
            int mode = found.mode();
            boolean foreign = owner != self && owner != ROOT;
            if (Files.isSymbolicLink(next)) {
                if (around.shared || foreign || ++links > MOST_LINKS) {
                    throw EmbeddedErrors.notOwn(path, next, "is a link");
                }
                Path whole =
                        at.resolve(Files.readSymbolicLink(next)).resolve(rest).normalize();
                at = whole.getRoot();
                rest = at.relativize(whole);
                around = new Surroundings(false, false).below(mode(at));
                continue;
            }
            if (foreign && (last || around.shared)) {
                throw EmbeddedErrors.notOwn(path, next, "belongs to another user (" + owner + ")");
            }
            if ((mode & ALL_MAY_WRITE) != 0 && (last || (around.sticky && (mode & STICKY) == 0))) {
                throw EmbeddedErrors.notOwn(path, next, "is writable by all users");
            }
            around = around.below(mode);
            at = next;
        }
    }

    /** Refuses a file in it, if it is there, that is a link or another user's, or that others can read. */
    void checkSecret(Path file) throws IOException {
        Attributes found = attributes(file);
        if (found == null) {
            return;
        }
        int owner = found.owner();
        String fault = Files.isSymbolicLink(file)
                ? "is a link"
                : owner != self() && owner != ROOT
                        ? "belongs to another user (" + owner + ")"
                        : (found.mode() & OTHERS_MAY_READ) != 0 ? "can be read by other users" : null;
        if (fault != null) {
            throw EmbeddedErrors.notSecret(file, fault);
        }
    }

    /**
     * The attributes of a file or directory itself, not of the target of a link.
     *
     * @param owner the number of the user
     * @param mode type and permissions, as {@code stat} shows them
     */
    private record Attributes(int owner, int mode) {}

    private static int mode(Path folder) throws IOException {
        return (Integer) Files.getAttribute(folder, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    }

    private static @Nullable Attributes attributes(Path path) throws IOException {
        try {
            return new Attributes(
                    (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS), mode(path));
        } catch (NoSuchFileException notThere) {
            return null;
        }
    }

    /** The user of this process, read from a file that it creates: there is no getuid() in Java. */
    private static int self() throws IOException {
        Path file = Files.createTempFile("durable-owner-", "");
        try {
            return Tree.ownerOf(file);
        } finally {
            Files.delete(file);
        }
    }
}
