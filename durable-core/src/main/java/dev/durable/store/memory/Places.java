package dev.durable.store.memory;

import dev.durable.client.ActivityState;
import dev.durable.store.JobUpdate;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Counts bodies that may still run although their jobs don't, and that therefore keep a place under a limit. */
final class Places {
    private final Map<UUID, Place> kept = new HashMap<>();

    private record Place(
            UUID session, String taskQueue, @Nullable String limitKey, Instant until) {}

    /** Keeps the place of a running job that is about to be taken from its worker, or given up by it. */
    void keep(Job job, boolean limited, Instant now) {
        if (limited && job.state() == ActivityState.RUNNING) {
            Place place = new Place(
                    job.lease().session(),
                    job.spec().route().taskQueue(),
                    job.spec().limitKey(),
                    now.plus(JobUpdate.PLACE_KEPT));
            kept.putIfAbsent(job.lease().token(), place);
        }
    }

    void free(UUID lease) {
        kept.remove(lease);
    }

    /** Frees the places of sessions that were closed. */
    void freeAllOf(Predicate<UUID> sessions) {
        kept.values().removeIf(place -> sessions.test(place.session()));
    }

    /** The number of places that are taken in this queue. */
    int count(String taskQueue, Instant now, Predicate<UUID> isAlive) {
        return (int) kept.values().stream()
                .filter(place -> place.taskQueue().equals(taskQueue))
                .filter(place -> counts(place, now, isAlive))
                .count();
    }

    /** The number of places that are taken under this limit key. */
    int count(String taskQueue, String limitKey, Instant now, Predicate<UUID> isAlive) {
        return (int) kept.values().stream()
                .filter(place -> place.taskQueue().equals(taskQueue) && limitKey.equals(place.limitKey()))
                .filter(place -> counts(place, now, isAlive))
                .count();
    }

    private static boolean counts(Place place, Instant now, Predicate<UUID> isAlive) {
        return place.until().isAfter(now) && isAlive.test(place.session());
    }
}
