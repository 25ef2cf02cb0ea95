package dev.durable.store.memory;

import dev.durable.store.BuildRamps;
import dev.durable.store.Served;
import dev.durable.store.SessionInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keeps the worker sessions of the in-memory store with their beats, those that were declared dead included. */
final class Sessions {
    private final Map<UUID, SessionInfo> rows = new LinkedHashMap<>();

    void open(UUID session, String identity, Duration lease, @Nullable Served served, Instant now) {
        rows.putIfAbsent(session, new SessionInfo(session, identity, 0, false, lease, now, served));
    }

    boolean beat(UUID session) {
        SessionInfo row = rows.get(session);
        if (row == null || row.dead()) {
            return false;
        }
        rows.put(session, now(row, row.beat() + 1, false));
        return true;
    }

    boolean markDead(UUID session, long beat) {
        SessionInfo row = rows.get(session);
        if (row == null || row.dead() || row.beat() != beat) {
            return false;
        }
        rows.put(session, now(row, beat, true));
        return true;
    }

    private static SessionInfo now(SessionInfo row, long beat, boolean dead) {
        return new SessionInfo(row.session(), row.identity(), beat, dead, row.lease(), row.startedAt(), row.served());
    }

    boolean isAlive(UUID session) {
        SessionInfo row = rows.get(session);
        return row != null && !row.dead();
    }

    @Nullable
    String identity(UUID session) {
        SessionInfo row = rows.get(session);
        return row == null ? null : row.identity();
    }

    /** The build of a session; null where it names none. */
    @Nullable
    String build(UUID session) {
        SessionInfo row = rows.get(session);
        return row == null || row.served() == null ? null : row.served().build();
    }

    /** The builds of the living sessions that serve a task queue. */
    Set<String> buildsOf(String taskQueue) {
        return rows.values().stream()
                .filter(row -> !row.dead())
                .filter(row -> row.served() == null || row.served().queues().contains(taskQueue))
                .map(row -> Objects.requireNonNullElse(build(row.session()), BuildRamps.UNNAMED))
                .collect(Collectors.toSet());
    }

    void close(UUID session) {
        rows.remove(session);
    }

    /** Removes dead sessions that hold no jobs any more. */
    void forgetDead(Collection<UUID> holders) {
        rows.values().removeIf(row -> row.dead() && !holders.contains(row.session()));
    }

    List<SessionInfo> list() {
        return List.copyOf(rows.values());
    }
}
