/**
 * Group commit: items that arrive while one batch commits form the next batch.
 *
 * <pre>
 *   add(item) ─► CommitQueue, a line for each kind ─► Lane ─ one transaction ─► store ─► each item's outcome
 * </pre>
 *
 * <ul>
 *   <li>An item is answered exactly once: with the store's outcome, or with the error of its batch.
 *   <li>A batch that the store refuses is sent again item by item; only the item that causes the error gets it.
 *   <li>A transition can't simply be sent again, since it moves the fence that it names: {@link
 *       dev.durable.internal.commit.TransitionLane} reads back under lock whether it happened, where the answer to
 *       COMMIT is lost.
 *   <li>Waiting items are bounded by bytes ({@link dev.durable.internal.commit.Weights}); callers that would add more
 *       are refused or held back.
 * </ul>
 */
@NullMarked
package dev.durable.internal.commit;

import org.jspecify.annotations.NullMarked;
