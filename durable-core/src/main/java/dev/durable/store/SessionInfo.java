package dev.durable.store;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@code session}: a worker process with its beat and lease.
 *
 * @param session random, one per process start
 * @param identity its name for people
 * @param beat its counter
 * @param dead whether it was declared dead; it can never beat again
 * @param lease how long its beat may stand still; each session has its own
 * @param startedAt when it began
 * @param served the task queues and activities that it serves; null if it does not say, as in older releases
 */
public record SessionInfo(
        UUID session,
        String identity,
        long beat,
        boolean dead,
        Duration lease,
        Instant startedAt,
        @Nullable Served served) {

    /** A session that does not say what it serves. */
    public SessionInfo(UUID session, String identity, long beat, boolean dead, Duration lease, Instant startedAt) {
        this(session, identity, beat, dead, lease, startedAt, null);
    }
}
