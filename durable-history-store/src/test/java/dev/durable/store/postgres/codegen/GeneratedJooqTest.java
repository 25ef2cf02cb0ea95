package dev.durable.store.postgres.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratedJooqTest {
    private static final Path COMMITTED = Path.of("src/main/java/dev/durable/store/postgres/internal/jooq");

    @Test
    void the_committed_classes_are_what_the_migrations_give(@TempDir Path fresh) throws Exception {
        GenerateJooq.generate(fresh);

        assertThat(sources(COMMITTED))
                .as("run: mvn -Dquick -DskipTests -Pjooq -pl durable-history-store -am process-test-classes")
                .isEqualTo(sources(fresh.resolve("dev/durable/store/postgres/internal/jooq")));
    }

    private static Map<String, String> sources(Path folder) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                sources.put(folder.relativize(file).toString(), Files.readString(file));
            }
        }
        return sources;
    }
}
