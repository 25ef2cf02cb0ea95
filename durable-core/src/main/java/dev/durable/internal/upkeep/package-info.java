/**
 * The chores that each worker process does for the whole installation: {@link dev.durable.internal.upkeep.Upkeep} runs
 * and times them.
 *
 * <ul>
 *   <li>There is no leader: every process does every chore, and the second one finds nothing to do. Only the queues are
 *       sampled for metrics by the process whose session is the oldest, and each process renews its own leases.
 *   <li>A chore is idempotent, works in batches, and can die at any line: its commits stay, and the next run finds the
 *       rest.
 *   <li>{@link dev.durable.internal.upkeep.WorkerSession} is the beat by which other processes see that this one lives;
 *       no process decides about its own death.
 * </ul>
 */
@NullMarked
package dev.durable.internal.upkeep;

import org.jspecify.annotations.NullMarked;
