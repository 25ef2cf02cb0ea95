/**
 * Streams: entries that runs and attempts append, and that readers page through.
 *
 * <pre>
 *   transition ──► after its events ─────┐                     lock: the stream's row, by (chain, name)
 *                                        ├─► {@link dev.durable.store.postgres.internal.stream.StreamRows} ─► entries
 *   job update ──► under the job's lock ─┘                     offsets: from that row, in the same commit
 * </pre>
 *
 * <ul>
 *   <li>The row of a stream is locked from the statement that gives offsets to the commit, so entries become visible in
 *       the order of their offsets: a reader that has seen one has missed none before it.
 *   <li>It is the last lock of its transaction, behind those of runs and jobs, and a batch locks all of its streams in one
 *       statement, in the order of their keys.
 *   <li>An append that is sent again is known by the row of its activity in {@code stream_source}, which the lock of the
 *       job protects.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.stream;

import org.jspecify.annotations.NullMarked;
