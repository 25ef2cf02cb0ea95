package dev.durable.observe;

import java.time.Duration;

/**
 * One completed run of a chore of upkeep.
 *
 * @param chore its name, as in {@link dev.durable.client.UpkeepStep#name}
 * @param took how long it worked
 * @param rows how many rows it changed
 */
public record ChoreRun(String chore, Duration took, long rows) {}
