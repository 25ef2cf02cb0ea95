package dev.durable.store.postgres.embedded.internal;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options with which an application asks for a server.
 *
 * @param directory where it is kept; null for a temporary one, which is gone when it is closed
 * @param startTimeout how long to wait until it accepts connections, for instance while it recovers from a crash
 */
public record ServerOptions(
        @Nullable Path directory, ServerSettings settings, Binaries binaries, Duration startTimeout) {}
