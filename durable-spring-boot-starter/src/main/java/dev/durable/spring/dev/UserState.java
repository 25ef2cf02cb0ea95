package dev.durable.spring.dev;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/**
 * The folder where programs of this user keep their state: no other user can prepare a directory there.
 *
 * @param environment of this process
 * @param properties of the system
 */
record UserState(Map<String, String> environment, Properties properties) {
    private static final Path OURS = Path.of("durable", "postgres");

    static UserState here() {
        return new UserState(System.getenv(), System.getProperties());
    }

    /**
     * {@code $XDG_STATE_HOME}, else what the system has for that below the user's home. A user without a home, as containers
     * have them, gets a directory below the temporary one: the embedded server refuses it where another user has made it.
     */
    Path directory() {
        Path xdg = Path.of(environment.getOrDefault("XDG_STATE_HOME", ""));
        if (xdg.isAbsolute()) {
            return xdg.resolve(OURS);
        }
        Path home = Path.of(properties.getProperty("user.home", ""));
        if (home.isAbsolute() && Files.isWritable(home)) {
            return home.resolve(belowHome()).resolve(OURS);
        }
        String user = DataDirectory.fileName(properties.getProperty("user.name", "user"));
        return Path.of(properties.getProperty("java.io.tmpdir"), "durable-postgres-" + user);
    }

    private Path belowHome() {
        String system = properties.getProperty("os.name", "");
        if (system.startsWith("Mac")) {
            return Path.of("Library", "Application Support");
        }
        return system.startsWith("Windows") ? Path.of("AppData", "Local") : Path.of(".local", "state");
    }
}
