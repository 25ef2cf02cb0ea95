package dev.durable.samples.springorders;

import dev.durable.Durable;
import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A local repository for Maven that has Durable's artifacts as {@code mvn install} leaves them there, and links to what the
 * user's own repository has of others. So nothing is copied or downloaded twice, and the user's own gets nothing of this
 * build.
 */
record LocalRepository(Path folder) implements AutoCloseable {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final String VERSION = "0.1.0-SNAPSHOT";

    /** Each has a class in it by which its jar, or in an IDE its folder, is found. */
    private enum Artifact {
        CORE("durable-core", Durable.class),
        STORE("durable-history-store", PostgresHistoryStore.class),
        EMBEDDED("durable-embedded-postgres", EmbeddedPostgres.class),
        STARTER("durable-spring-boot-starter", DurableAutoConfiguration.class);

        private final String id;
        private final Class<?> inside;

        Artifact(String id, Class<?> inside) {
            this.id = id;
            this.inside = inside;
        }

        Path built() {
            return Path.of(
                    inside.getProtectionDomain().getCodeSource().getLocation().getPath());
        }
    }

    static LocalRepository withArtifactsOfThisBuild(Path folder) throws IOException {
        LocalRepository repository = new LocalRepository(Files.createDirectories(folder));
        Path users = Path.of(System.getProperty(
                "localRepository", System.getProperty("user.home") + "/.m2/repository")); // Surefire says where
        link(users, folder, "dev");
        link(users.resolve("dev"), Files.createDirectory(folder.resolve("dev")), "durable");
        repository.install("durable", ROOT.resolve("pom.xml"));
        repository.install("durable-bom", ROOT.resolve("durable-bom/pom.xml"));
        for (Artifact artifact : Artifact.values()) {
            repository.install(artifact.id, ROOT.resolve(artifact.id).resolve("pom.xml"));
            repository.installJar(artifact);
        }
        return repository;
    }

    /** Links all files of one folder into the other, but for those of this name. */
    private static void link(Path from, Path to, String except) throws IOException {
        if (Files.isDirectory(from)) {
            try (Stream<Path> entries = Files.list(from)) {
                for (Path entry : (Iterable<Path>) entries::iterator) {
                    if (!entry.endsWith(except)) {
                        Files.createSymbolicLink(to.resolve(entry.getFileName()), entry.toAbsolutePath());
                    }
                }
            }
        }
    }

    /** Without the links, JUnit removes the rest in silence. */
    @Override
    public void close() throws IOException {
        unlink(folder);
        unlink(folder.resolve("dev"));
    }

    private static void unlink(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : (Iterable<Path>) entries.filter(Files::isSymbolicLink)::iterator) {
                Files.delete(entry);
            }
        }
    }

    private void install(String id, Path pom) throws IOException {
        Files.createDirectories(place(id, "pom").getParent());
        Files.copy(pom, place(id, "pom"));
    }

    private void installJar(Artifact artifact) throws IOException {
        Path built = artifact.built();
        if (Files.isDirectory(built)) {
            jar(built, place(artifact.id, "jar"));
        } else {
            Files.copy(built, place(artifact.id, "jar"));
        }
    }

    private Path place(String id, String type) {
        return folder.resolve(Path.of("dev", "durable", id, VERSION, id + "-" + VERSION + "." + type));
    }

    private static void jar(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> walk = Files.walk(classes)) {
            List<Path> files = walk.filter(Files::isRegularFile).sorted().toList();
            for (Path each : files) {
                out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
    }
}
