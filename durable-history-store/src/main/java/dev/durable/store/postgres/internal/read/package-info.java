/**
 * The reads for people and waiting clients: listings, descriptions, batches, open jobs; some of them are answered by a
 * replica. Reads lock no rows.
 */
@NullMarked
package dev.durable.store.postgres.internal.read;

import org.jspecify.annotations.NullMarked;
