package dev.durable.client;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One step of the upkeep that a worker process does on its own: its beat, the sweep of dead sessions, timeouts of
 * activities that no worker runs.
 *
 * @param name what it is, such as {@code sweep}
 * @param interval the longest that passes between two runs while all is well
 * @param lastRun when it last did what it is for, by the database's clock as this process estimates it; null before the
 *     first time
 * @param lastTook how long that took
 * @param lastRows how many rows it changed then
 * @param rows how many rows it changed since the engine started
 * @param late whether it is overdue by so much that something is wrong: the database does not answer, or a loop hangs
 */
public record UpkeepStep(
        String name,
        Duration interval,
        @Nullable Instant lastRun,
        Duration lastTook,
        long lastRows,
        long rows,
        boolean late) {}
