/** Sessions of worker processes, jobs of dead ones, partitions of the history, and the adoption of a copy. */
@NullMarked
package dev.durable.store.postgres.internal.upkeep;

import org.jspecify.annotations.NullMarked;
