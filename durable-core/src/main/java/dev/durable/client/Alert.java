package dev.durable.client;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The notice to an application's listener that activities became dead letters or incidents.
 *
 * @param fingerprint what they have in common: activity, type of failure, first frames of its own code
 * @param activity its name
 * @param count how many of them wait for an operator now
 * @param firstSeen since when the first of them does
 * @param lastSeen since when the last one does
 * @param lastFailure why the last one does
 * @param workflowId the workflow of the last one
 * @param runId its run
 * @param seq its number in the run
 */
public record Alert(
        String fingerprint,
        String activity,
        long count,
        Instant firstSeen,
        Instant lastSeen,
        @Nullable String lastFailure,
        String workflowId,
        UUID runId,
        int seq) {}
