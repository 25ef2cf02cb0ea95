package dev.durable.store;

import java.util.UUID;

/**
 * A claim as the store has it.
 *
 * @param key which job
 * @param lease its token
 * @param cancelRequested whether the workflow wants it to stop
 */
public record HeldJob(JobKey key, UUID lease, boolean cancelRequested) {}
