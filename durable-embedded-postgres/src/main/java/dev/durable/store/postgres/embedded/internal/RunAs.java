package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds a user other than root to run PostgreSQL as, since it refuses to run as root. Then its programs are started
 * through another one, the first of these that works here:
 *
 * <ol>
 *   <li>{@code setpriv} to the user {@code nobody}, which then owns the data, and nothing else: to the server, root's
 *   files are closed.
 *   <li>{@code setpriv} with leave to pass folders that are closed to others, for a directory or programs below {@code
 *   /root}. A superuser of the server, which applications are not, could read root's files.
 *   <li>{@code unshare -U}: root itself, in a namespace where it has another number and PostgreSQL runs. Files stay
 *   root's, so a superuser of the server could read them here, too. Containers often forbid it.
 * </ol>
 *
 * Data that already belongs to another user is that user's: the server runs as them, by the first two. The files beside
 * the data (passwords, settings, the list of users of the server) are this process's, and the server can't change them.
 *
 * @param prefix what to write before each command
 * @param owner the user that the data must belong to
 */
record RunAs(List<String> prefix, int owner) {
    private static final int ROOT = 0;
    private static final int NOBODY = 65534;
    private static final String PASS_FOLDERS = "+dac_read_search";

    static RunAs on(ServerDirectory directory, Installation installation) throws IOException, InterruptedException {
        int self = self(directory);
        if (self != ROOT) {
            return new RunAs(List.of(), self);
        }
        Path theirs = Files.exists(directory.data()) ? directory.data() : directory.root();
        return firstThatWorks(waysFrom(Tree.ownerOf(theirs)), directory, installation);
    }

    static List<RunAs> waysFrom(int owner) {
        List<RunAs> ways = new ArrayList<>(as(owner == ROOT ? NOBODY : owner));
        if (owner == ROOT) {
            ways.add(new RunAs(List.of("unshare", "-U"), ROOT));
        }
        return ways;
    }

    private static List<RunAs> as(int user) {
        List<String> plain = List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups");
        List<String> passing = new ArrayList<>(plain);
        passing.add("--securebits=+no_setuid_fixup"); // else access() forgets what follows
        passing.add("--inh-caps=" + PASS_FOLDERS);
        passing.add("--ambient-caps=" + PASS_FOLDERS);
        return List.of(new RunAs(plain, user), new RunAs(List.copyOf(passing), user));
    }

    static RunAs firstThatWorks(List<RunAs> ways, ServerDirectory directory, Installation installation)
            throws IOException, InterruptedException {
        List<String> failures = new ArrayList<>();
        for (RunAs way : ways) {
            String failure = way.failure(directory, installation);
            if (failure.isEmpty()) {
                if (Files.exists(directory.data())) {
                    way.own(directory.data());
                }
                return way;
            }
            failures.add(String.join(" ", way.prefix) + ": " + failure);
        }
        throw EmbeddedErrors.refusesRoot(directory.root(), failures);
    }

    /** Tries what the server will do: run a program, and write in a folder of its own. */
    private String failure(ServerDirectory directory, Installation installation)
            throws IOException, InterruptedException {
        if (owner != ROOT) {
            Set<PosixFilePermission> permissions = new HashSet<>(Files.getPosixFilePermissions(directory.root()));
            permissions.addAll(Set.of(PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_EXECUTE));
            Files.setPosixFilePermissions(directory.root(), permissions);
        }
        Path folder = Files.createTempDirectory(directory.root(), "tried-");
        own(folder);
        String script = "\"$1\" --version >/dev/null && touch \"$2\" && rm \"$2\"";
        try {
            Command.Outcome outcome = Command.in(
                            directory.root(),
                            prefix,
                            "sh",
                            "-c",
                            script,
                            "sh",
                            installation.postgres(),
                            folder.resolve("writable"))
                    .run();
            return outcome.ok() ? "" : outcome.output().isEmpty() ? "exit " + outcome.exit() : outcome.output();
        } catch (IOException noSuchProgram) {
            return String.valueOf(noSuchProgram.getMessage());
        } finally {
            new Tree(folder).delete();
        }
    }

    /** After a file or folder was made by this process that the server must own. */
    void own(Path made) throws IOException {
        if (!prefix.isEmpty() && Tree.ownerOf(made) != owner) {
            new Tree(made).giveTo(owner);
        }
    }

    /** The user of this process, read from a file that it creates: there is no getuid() in Java. */
    private static int self(ServerDirectory directory) throws IOException {
        Path file = Files.createTempFile(directory.root(), "owner-", "");
        try {
            return Tree.ownerOf(file);
        } finally {
            Files.delete(file);
        }
    }
}
