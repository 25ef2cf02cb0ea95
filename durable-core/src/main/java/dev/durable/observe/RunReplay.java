package dev.durable.observe;

import java.time.Duration;
import java.util.UUID;

/**
 * A replay of a run's history.
 *
 * @param workflowType the type
 * @param workflowId the business identity
 * @param runId the run
 * @param events how many events its history has
 * @param took how long that took, with reading the pages of the history that the claim did not bring
 */
public record RunReplay(String workflowType, String workflowId, UUID runId, long events, Duration took) {}
