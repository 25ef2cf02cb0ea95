package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.durable.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which directories another user can have prepared. */
class OwnFolderTest {
    private static final int NOBODY = 65534;

    @TempDir
    Path folder;

    /** As {@code /tmp} is. */
    private Path shared;

    @BeforeEach
    void makeShared() throws IOException {
        shared = open(Files.createDirectory(folder.resolve("shared")));
        Files.setAttribute(shared, "unix:mode", (Integer) Files.getAttribute(shared, "unix:mode") | 01000);
    }

    private static Path open(Path path) throws IOException {
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private static Path made(Path path) throws IOException {
        return Files.createDirectory(path);
    }

    private static Path anothers(Path path) throws IOException {
        assumeTrue(Tree.ownerOf(path) == 0, "only root can give a folder away");
        new Tree(path).giveTo(NOBODY);
        return path;
    }

    private static void refused(Path directory, Path culprit, String fault) {
        String who = directory.equals(culprit) ? "it" : culprit.toString();
        long before = size(directory);
        assertThatThrownBy(() -> ServerDirectory.of(directory))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(directory + " is not used for the embedded PostgreSQL: " + who + " " + fault
                        + ", so another user could have put there what is run and read by this user. Usually it was made by"
                        + " another user, or with rights for all. Look at what is in it; then give it to this user and to"
                        + " no other (chown, chmod o-w), or choose another directory: for data EmbeddedPostgres.at(…) or"
                        + " durable.dev.data-directory, for programs XDG_CACHE_HOME or cacheDirectory(…).");
        assertThatThrownBy(() -> new BinaryCache(directory).make())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(who + " " + fault);
        assertThat(size(directory)).as("nothing was written").isEqualTo(before);
    }

    private static long size(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.count();
        } catch (IOException notThere) {
            return 0;
        }
    }

    private static void taken(Path directory) {
        assertThatCode(() -> ServerDirectory.of(directory)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shared/"})
    void a_folder_that_is_not_there_yet_is_made_for_this_user_alone(String below) throws Exception {
        Path directory = folder.resolve(below + "one/two/three");
        taken(directory);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        assertThat(Files.getPosixFilePermissions(directory.getParent()))
                .doesNotContain(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
        taken(directory);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shared/"})
    void a_folder_in_which_all_may_write_is_refused(String below) throws Exception {
        Path directory = open(made(folder.resolve(below + "open")));
        refused(directory, directory, "is writable by all users");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shared/"})
    void a_folder_of_another_user_is_refused(String below) throws Exception {
        Path directory = anothers(made(folder.resolve(below + "theirs")));
        refused(directory, directory, "belongs to another user (65534)");
    }

    @Test
    void a_link_below_a_shared_folder_is_refused_wherever_it_leads() throws Exception {
        Path link = Files.createSymbolicLink(shared.resolve("link"), made(folder.resolve("own")));
        refused(link, link, "is a link");
        refused(link.resolve("below"), link, "is a link");
        Path dangling = Files.createSymbolicLink(shared.resolve("dangling"), folder.resolve("nowhere"));
        refused(dangling, dangling, "is a link");
    }

    @Test
    void a_folder_below_one_that_another_user_has_made_or_can_change_is_refused() throws Exception {
        Path theirs = made(shared.resolve("theirs"));
        Path open = open(made(shared.resolve("open")));
        refused(open.resolve("data"), open, "is writable by all users");
        anothers(theirs);
        refused(theirs.resolve("data"), theirs, "belongs to another user (65534)");
    }

    /** Below no folder like {@code /tmp}, unless the whole project is. */
    @Nested
    class Elsewhere {
        private Path home;

        @BeforeEach
        void makeHome() throws IOException {
            home = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "home-");
            for (Path above = home; above != null; above = above.getParent()) {
                assumeTrue(
                        ((Integer) Files.getAttribute(above, "unix:mode") & 01002) != 01002,
                        "the project is below a folder of all users");
            }
        }

        @AfterEach
        void delete() throws IOException {
            new Tree(home).delete();
        }

        @Test
        void links_that_this_user_has_made_are_followed_and_what_they_lead_to_is_looked_at() throws Exception {
            Path own = made(home.resolve("own"));
            Path link = Files.createSymbolicLink(home.resolve("link"), own);
            taken(link.resolve("data"));
            Path open = open(made(home.resolve("open")));
            Path away = Files.createSymbolicLink(home.resolve("away"), open);
            refused(away, open, "is writable by all users");
            Path circle = Files.createSymbolicLink(home.resolve("circle"), Path.of("circle"));
            refused(circle, circle, "is a link");
        }

        @Test
        void a_link_of_another_user_is_refused() throws Exception {
            Path link = Files.createSymbolicLink(home.resolve("link"), made(home.resolve("own")));
            assumeTrue(Tree.ownerOf(home) == 0, "only root can give a link away");
            Files.setAttribute(link, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
            refused(link.resolve("data"), link, "is a link");
        }

        @Test
        void a_folder_of_this_user_in_another_users_project_is_taken() throws Exception {
            Path project = made(home.resolve("project"));
            Path data = made(project.resolve("data"));
            anothers(project);
            Files.setAttribute(data, "unix:uid", 0);
            taken(data);
        }

        @Test
        void a_project_in_which_all_may_write_as_build_servers_make_them_is_taken() throws Exception {
            Path project = open(made(home.resolve("project")));
            taken(project.resolve("target/durable-postgres"));
            Path link = Files.createSymbolicLink(project.resolve("link"), home);
            refused(link.resolve("data"), link, "is a link");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"password", "superuser-password"})
    void a_password_that_others_can_read_is_refused(String name) throws Exception {
        Path directory = folder.resolve("own");
        taken(directory);
        Path file = Files.writeString(directory.resolve(name), "secret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        taken(directory);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertNotSecret(() -> ServerDirectory.of(directory), file, "can be read by other users");
        Files.setPosixFilePermissions(file, Set.of(PosixFilePermission.OWNER_READ));
        if (Tree.ownerOf(file) == 0) {
            new Tree(file).giveTo(NOBODY);
            assertNotSecret(() -> ServerDirectory.of(directory), file, "belongs to another user (65534)");
        }
        Files.delete(file);
        Files.createSymbolicLink(file, made(folder.resolve("elsewhere")));
        assertNotSecret(() -> ServerDirectory.of(directory), file, "is a link");
    }

    private static void assertNotSecret(ThrowingCallable of, Path file, String fault) {
        assertThatThrownBy(of)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage(
                        file + " " + fault
                                + ", so its password is not a secret and the server beside it is not used. Usually the directory was"
                                + " copied or its rights were changed. Set the rights of the file (chmod 600), and change the"
                                + " passwords where others may have read them, or move the whole directory away to begin anew.");
    }
}
