/**
 * The chores that each process does for the good of all: {@link dev.durable.internal.upkeep.Upkeep} runs and times them.
 *
 * <ul>
 *   <li>There is no leader: every process does every chore, and whoever comes second finds nothing to do. Only the queues
 *       are sampled for metrics by the process whose session is the oldest, and each process renews its own leases.
 *   <li>A chore is idempotent, works in batches, and can die at any line: what it has committed stays, the rest is found by
 *       the next.
 *   <li>{@link dev.durable.internal.upkeep.WorkerSession} is the beat by which others see that this process lives; nobody
 *       decides by itself that it is dead.
 * </ul>
 */
@NullMarked
package dev.durable.internal.upkeep;

import org.jspecify.annotations.NullMarked;
