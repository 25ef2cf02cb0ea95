package dev.durable.store;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@code session}: a worker process with its beat and lease.
 *
 * @param session random, one per process start
 * @param identity how people call it
 * @param beat its counter
 * @param dead whether it was declared dead; it can never renew
 * @param lease how long its beat may stand still: its own, whatever others have
 * @param startedAt when
 * @param served what it takes work from; null where it does not say, as in older releases
 */
public record SessionInfo(
        UUID session,
        String identity,
        long beat,
        boolean dead,
        Duration lease,
        Instant startedAt,
        @Nullable Served served) {

    /** One that does not say what it serves. */
    public SessionInfo(UUID session, String identity, long beat, boolean dead, Duration lease, Instant startedAt) {
        this(session, identity, beat, dead, lease, startedAt, null);
    }
}
