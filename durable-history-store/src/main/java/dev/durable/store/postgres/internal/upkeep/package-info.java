/**
 * Sessions of worker processes, the jobs of dead ones, partitions of the history, and the adoption of a copied schema.
 */
@NullMarked
package dev.durable.store.postgres.internal.upkeep;

import org.jspecify.annotations.NullMarked;
