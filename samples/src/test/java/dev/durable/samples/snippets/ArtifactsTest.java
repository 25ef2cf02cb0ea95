package dev.durable.samples.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.samples.snippets.Documents.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The modules of this build, the bill of materials, and the dependencies that the documents tell to add. */
class ArtifactsTest {
    private static final List<String> NOT_FOR_USERS = List.of(
            "durable-bom",
            "samples",
            "samples/plain",
            "samples/patterns",
            "samples/kotlin",
            "samples/spring-orders",
            "benchmarks");
    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
    private static final Pattern OURS =
            Pattern.compile("<groupId>dev\\.durable</groupId>\\s*<artifactId>(.*)</artifactId>");
    private static final Pattern OUR_VERSION = Pattern.compile(
            "<groupId>dev\\.durable</groupId>\\s*<artifactId>.*</artifactId>\\s*<version>(.*)</version>");
    private static final Pattern VERSION = Pattern.compile("<version>(.*)</version>");
    private static final Pattern MODULE_NAME = Pattern.compile("<java\\.module\\.name>(.*)</java\\.module\\.name>");

    @Test
    void theBillOfMaterialsHasEveryArtifactForUsers() {
        String managed = between(pom("durable-bom"), "<dependencyManagement>", "</dependencyManagement>");
        assertThat(all(OURS, managed)).containsExactlyElementsOf(artifacts());
        assertThat(all(VERSION, managed)).containsOnly("${project.version}");
        assertThat(all(VERSION, pom("durable-bom")).getFirst())
                .as("the version of the bill of materials, which has no parent to take it from")
                .isEqualTo(all(VERSION, pom(".")).getFirst());
    }

    @Test
    void theBillOfMaterialsManagesNothingElse() {
        assertThat(pom("durable-bom"))
                .doesNotContain("<parent>", "<scope>import</scope>")
                .satisfies(text -> assertThat(all(
                                Pattern.compile("<groupId>(.*)</groupId>"),
                                between(text, "<dependencyManagement>", "</dependencyManagement>")))
                        .containsOnly("dev.durable"));
    }

    @Test
    void everyJarIsNamedAsAModuleByItsRootPackage() throws IOException {
        for (String module : artifacts()) {
            assertThat(all(MODULE_NAME, pom(module)))
                    .as("java.module.name of %s", module)
                    .containsExactly(rootPackage(Documents.ROOT.resolve(module).resolve("src/main/java")));
        }
    }

    @Test
    void whatIsPublishedSaysUnderWhichLicenseAndWhereItsSourcesAre() {
        for (String published : List.of(".", "durable-bom")) {
            assertThat(pom(published)).contains("<license>", "<scm", "<developerConnection>");
        }
    }

    @Test
    void documentsNameArtifactsThatThereAreAndTheVersionOnce() {
        for (Block block : Documents.blocks("xml")) {
            List<String> ours = all(OURS, block.text());
            assertThat(Stream.concat(artifacts().stream(), Stream.of("durable-bom")))
                    .as(block.where())
                    .containsAll(ours);
            if (!ours.isEmpty()) {
                assertThat(all(OUR_VERSION, block.text()))
                        .as("%s: only the bill of materials has a version", block.where())
                        .hasSize(ours.contains("durable-bom") ? 1 : 0);
            }
        }
    }

    private static List<String> artifacts() {
        return all(MODULE, pom(".")).stream()
                .filter(module -> !NOT_FOR_USERS.contains(module))
                .toList();
    }

    /** The package nearest to the root that has a class. */
    private static String rootPackage(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            Path nearest = files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> sources.relativize(file.getParent()))
                    .min(Comparator.comparingInt(Path::getNameCount).thenComparing(Comparator.naturalOrder()))
                    .orElseThrow();
            return nearest.toString().replace('/', '.');
        }
    }

    private static String pom(String module) {
        return String.join("\n", Documents.lines(Documents.ROOT.resolve(module).resolve("pom.xml")));
    }

    private static String between(String text, String from, String to) {
        return text.substring(text.indexOf(from), text.indexOf(to));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }
}
