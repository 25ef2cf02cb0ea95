package dev.durable.spring.dev;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Chooses where the data of the embedded server is kept. */
final class DataDirectory {
    private static final String NAME = "durable-postgres";

    private DataDirectory() {}

    /**
     * The directory that was configured; else one in the build folder, which survives restarts and goes with a clean build;
     * else one of the application's where this user's programs keep their state.
     */
    static Path choose(@Nullable Path configured, Path work, UserState state, String application) {
        if (configured != null) {
            return configured;
        }
        if (Files.exists(work.resolve("pom.xml"))) {
            return work.resolve("target").resolve(NAME);
        }
        if (Files.exists(work.resolve("build.gradle")) || Files.exists(work.resolve("build.gradle.kts"))) {
            return work.resolve("build").resolve(NAME);
        }
        return state.directory().resolve(fileName(application));
    }

    static String fileName(String text) {
        return text.replaceAll("[^A-Za-z0-9._-]", "_");
    }
}
