package dev.durable.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A group of dead letters and incidents that failed alike.
 *
 * @param fingerprint the fingerprint that they have in common
 * @param activity its name
 * @param count how many there are
 * @param firstSeen when the first of them became a dead letter or an incident
 * @param lastSeen when the last of them did
 * @param lastFailure the failure of the last one
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
