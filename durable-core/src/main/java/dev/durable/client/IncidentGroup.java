package dev.durable.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Incidents or dead letters with the same fingerprint.
 *
 * @param fingerprint what they have in common: activity, type of failure, first frames of its own code
 * @param activity its name
 * @param count how many there are
 * @param firstSeen since when the first of them waits
 * @param lastSeen since when the last one does
 * @param lastFailure why the last one does
 * @param workflowId the workflow of the last one
 * @param seq its number in the run
 */
public record IncidentGroup(
        String fingerprint,
        String activity,
        long count,
        Instant firstSeen,
        Instant lastSeen,
        @Nullable String lastFailure,
        String workflowId,
        int seq) {}
