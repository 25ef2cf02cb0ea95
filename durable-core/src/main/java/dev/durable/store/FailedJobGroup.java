package dev.durable.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters and incidents that failed alike.
 *
 * @param fingerprint what they have in common
 * @param activity its name
 * @param count how many there are
 * @param firstSeen when the first of them was buried
 * @param lastSeen when the last one was
 * @param lastFailure why the last one was
 * @param latest the last one
 */
public record FailedJobGroup(
        String fingerprint,
        String activity,
        long count,
        Instant firstSeen,
        Instant lastSeen,
        @Nullable String lastFailure,
        JobKey latest) {}
