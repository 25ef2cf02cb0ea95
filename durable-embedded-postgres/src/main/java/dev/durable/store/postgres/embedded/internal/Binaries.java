package dev.durable.store.postgres.embedded.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Configures where the programs of the embedded server are unpacked to or installed.
 *
 * @param cache where those of the class path are unpacked to, and templates are kept
 * @param installation the folder above {@code bin/postgres} of a server that is installed already, instead of those
 */
public record Binaries(Path cache, @Nullable Path installation) {

    private static final Path ALL_USERS = Path.of("/var/cache");

    /** From the class path, unpacked below {@code $XDG_CACHE_HOME} or {@code ~/.cache}; root's below {@code /var/cache}. */
    public static Binaries ofClassPath() {
        return new Binaries(defaultCache(System.getenv(), System.getProperty("user.home")), null);
    }

    public Binaries cache(Path folder) {
        return new Binaries(folder.toAbsolutePath(), installation);
    }

    public Binaries installation(Path home) {
        return new Binaries(cache, home.toAbsolutePath());
    }

    static Path defaultCache(Map<String, String> environment, String home) {
        String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path caches = Path.of(xdg).isAbsolute() ? Path.of(xdg) : Path.of(home, ".cache");
        // Root's home is closed to the user that the server runs as.
        if (!Path.of(xdg).isAbsolute() && home.equals("/root") && Files.isWritable(ALL_USERS)) {
            caches = ALL_USERS;
        }
        return caches.resolve("durable/postgres").toAbsolutePath();
    }

    Installation install(Deadline deadline) throws IOException, InterruptedException {
        Platform platform = Platform.current();
        if (!platform.supported()) {
            throw EmbeddedErrors.unsupported(platform);
        }
        if (installation == null) {
            return new BinaryCache(cache).install(BinaryArchive.onClassPath(platform), deadline);
        }
        new BinaryCache(cache).make();
        String version = Installation.askVersion(installation);
        String template = "template-%s-%08x".formatted(version, installation.hashCode());
        return new Installation(installation, version, cache.resolve(template));
    }
}
