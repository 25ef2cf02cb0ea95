package dev.durable.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MissingServerTest {
    @Test
    void aTestOnPostgresWithoutTheArtifactThatBringsItIsToldWhatToAdd() throws Exception {
        List<URL> without = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!entry.contains("durable-embedded-postgres")) {
                without.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(without.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> store = loader.loadClass(Store.class.getName());
            Class<?> engine = loader.loadClass(TestEngine.class.getName());
            assertThatThrownBy(() -> engine.getMethod("create", store)
                            .invoke(null, store.getField("POSTGRES").get(null)))
                    .cause()
                    .hasMessage(
                            "Store.POSTGRES needs dev.durable:durable-history-store and dev.durable:durable-embedded-postgres on the test class path (dev.durable.store.postgres.testing.TestDatabase is missing). Add them with scope test, or use Store.MEMORY.");
        }
    }
}
