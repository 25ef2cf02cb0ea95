package dev.durable.observe;

import dev.durable.store.Transition;
import java.time.Duration;
import java.util.UUID;

/**
 * The store's answer to one step of a run.
 *
 * @param workflowType the type; empty where a process only gives back a run that it does not know
 * @param workflowId the business identity
 * @param runId which run
 * @param outcome the store's answer
 * @param events how many events it has
 * @param took from when it was handed over to its answer: waiting for a lane, and the commit
 */
public record TransitionWrite(
        String workflowType, String workflowId, UUID runId, Transition.Outcome outcome, int events, Duration took) {}
