package dev.durable.store;

import dev.durable.client.BoundedCount;

/**
 * The open runs of a build.
 *
 * @param build its name
 * @param lastTurns those whose last turn it made
 * @param pinned those that are pinned to it
 */
public record BuildRuns(String build, BoundedCount lastTurns, BoundedCount pinned) {}
