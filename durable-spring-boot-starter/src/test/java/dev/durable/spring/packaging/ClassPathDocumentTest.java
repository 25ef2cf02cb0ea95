package dev.durable.spring.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docs/class-path.md} against what Maven resolved. */
class ClassPathDocumentTest {
    private static final Path DOCUMENT = Path.of("../docs/class-path.md");
    private static final Pattern ROW =
            Pattern.compile("^\\| `([\\w.-]+:[\\w.-]+)` \\| ([0-9.]+) \\|", Pattern.MULTILINE);
    private static final double MEGABYTE = 1_000_000;
    private static final double ROUNDED = 0.051;

    @Test
    void the_document_lists_the_jars_of_a_production_class_path_with_their_sizes() throws IOException {
        Map<String, Double> listed = new TreeMap<>();
        for (MatchResult row : ROW.matcher(Files.readString(DOCUMENT)).results().toList()) {
            listed.put(row.group(1), Double.valueOf(row.group(2)));
        }
        ProductionClassPath resolved = ProductionClassPath.resolved().withoutSpring();

        assertThat(listed.keySet())
                .containsExactlyInAnyOrderElementsOf(resolved.entries().stream()
                        .map(ProductionClassPath.Entry::artifact)
                        .toList());
        for (ProductionClassPath.Entry entry : resolved.entries()) {
            if (!entry.artifact().startsWith("dev.durable:")) {
                assertThat(Files.size(entry.file()) / MEGABYTE)
                        .as(entry.artifact())
                        .isCloseTo(listed.get(entry.artifact()), within(ROUNDED));
            }
        }
    }

    @Test
    void each_jar_of_durable_has_its_license(@TempDir Path folder) throws IOException {
        String license = Files.readString(Path.of("../LICENSE"));
        for (Path jar : ProductionClassPath.resolved().ours().jars(folder)) {
            try (JarFile opened = new JarFile(jar.toFile());
                    InputStream found = opened.getInputStream(opened.getEntry("META-INF/LICENSE"))) {
                assertThat(new String(found.readAllBytes(), StandardCharsets.UTF_8))
                        .as(jar.toString())
                        .isEqualTo(license);
            }
        }
    }

    @Test
    void no_server_no_flyway_and_no_test_kit_comes_to_production() throws IOException {
        assertThat(ProductionClassPath.resolved().entries())
                .extracting(ProductionClassPath.Entry::artifact)
                .contains("org.postgresql:postgresql", "org.springframework.boot:spring-boot")
                .noneMatch(
                        artifact -> artifact.matches(
                                ".*(embedded|zonky|commons-compress|tukaani|flyway|testcontainers|junit|assertj|mockito|testing).*"));
    }
}
