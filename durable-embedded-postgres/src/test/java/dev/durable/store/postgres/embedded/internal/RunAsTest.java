package dev.durable.store.postgres.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Root, for whom PostgreSQL does not run as it is. Needs to be run by root: by others, it is skipped. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class RunAsTest {
    private static final int NOBODY = 65534;

    @TempDir
    Path folder;

    private Deadline deadline;
    private Installation installation;

    @BeforeEach
    void needRoot() throws Exception {
        assumeTrue(Tree.ownerOf(folder) == 0, "needs root");
        deadline = Deadline.in(Duration.ofMinutes(1));
        installation = Binaries.ofClassPath().install(deadline);
    }

    /** In order: nobody, nobody with leave to pass folders, namespace. Containers often forbid the last. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void each_way_that_works_here_runs_a_server(int way) throws Exception {
        Path openToAll = Files.createTempDirectory(
                Path.of("/tmp"),
                "durable-run-as-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        try {
            Installation readable = way == 0 ? copyOfPrograms(openToAll) : installation;
            runsAServer(new ServerDirectory(Files.createDirectory(openToAll.resolve("server")), false), readable, way);
        } finally {
            new Tree(openToAll).delete();
        }
    }

    @Test
    void a_directory_below_one_that_is_closed_to_others_is_reached() throws Exception {
        Path closed = Files.createDirectory(
                folder.resolve("closed"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        runsAServer(new ServerDirectory(Files.createDirectory(closed.resolve("server")), false), installation, 1);
    }

    @Test
    void a_directory_of_another_user_stays_that_users() throws Exception {
        ServerDirectory directory = new ServerDirectory(folder.resolve("theirs"), false);
        Files.createDirectory(directory.root());
        new Tree(directory.root()).giveTo(NOBODY);

        assertThat(RunAs.on(directory, installation).owner()).isEqualTo(NOBODY);
    }

    @Test
    void an_ordinary_user_runs_the_server_as_himself_and_not_where_others_may_write() throws Exception {
        Path home = Files.createTempDirectory(
                Path.of("/tmp"),
                "durable-user-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        try {
            String classPath = readableClassPath(home);
            Path open = Files.createDirectory(home.resolve("open"));
            new Tree(home).giveTo(NOBODY);
            OtherProcess user = asNobody(classPath, home.resolve("postgres"), home.resolve("cache"));
            user.port();
            assertThat(user.execute("SELECT 'mine'")).isEqualTo("mine");
            assertThat(Tree.ownerOf(home.resolve("postgres/data/base"))).isEqualTo(NOBODY);
            user.close();

            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
            assertThatThrownBy(asNobody(classPath, open, home.resolve("cache"))::port)
                    .hasMessage("the other process has ended");
            assertThatThrownBy(asNobody(classPath, home.resolve("postgres"), open)::port)
                    .hasMessage("the other process has ended");
            assertThat(open).as("nothing was written").isEmptyDirectory();
        } finally {
            new Tree(home).delete();
        }
    }

    private static OtherProcess asNobody(String classPath, Path directory, Path cache) throws Exception {
        List<String> nobody =
                List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "env", "-u", "HOME");
        return OtherProcess.start(nobody, classPath, directory.toString(), cache.toString());
    }

    private void runsAServer(ServerDirectory directory, Installation programs, int way) throws Exception {
        RunAs runAs = RunAs.firstThatWorks(List.of(RunAs.waysFrom(0).get(way)), directory, programs);
        assertThat(Tree.ownerOf(directory.root())).isZero();
        Cluster cluster = new Cluster(directory, programs, runAs);
        cluster.prepare();
        assertThat(Tree.ownerOf(directory.data())).isEqualTo(runAs.owner());
        ServerSettings settings = new ServerSettings(true, 0, Map.of());
        try (Attachment attachment = new Attachments(directory).first()) {
            Postmaster server = new Launch(directory, programs, settings, cluster).start(deadline);
            assertThat(server.ready()).isTrue();
        }
        assertThat(directory.server()).as("root's guardian stops it").isEmpty();
    }

    private Installation copyOfPrograms(Path open) throws Exception {
        Path home = open.resolve("programs");
        new Tree(installation.home()).copyTo(home);
        return new Installation(home, installation.version(), installation.template());
    }

    /** Root's Maven repository is closed to others. */
    private static String readableClassPath(Path open) throws Exception {
        List<String> copies = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path copy = open.resolve("lib-" + copies.size());
            new Tree(Path.of(entry)).copyTo(copy);
            copies.add(copy.toString());
        }
        return String.join(File.pathSeparator, copies);
    }
}
