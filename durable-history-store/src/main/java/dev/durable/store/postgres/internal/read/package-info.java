/**
 * What people and waiting clients see: listings, descriptions, batches, open jobs; some of it answered by a replica. Reads lock
 * nothing.
 */
@NullMarked
package dev.durable.store.postgres.internal.read;

import org.jspecify.annotations.NullMarked;
