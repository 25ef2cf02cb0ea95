/**
 * Group commit: what arrives while one batch commits is the next batch.
 *
 * <pre>
 *   add(item) ─► CommitQueue, a line for each kind ─► Lane ─ one transaction ─► store ─► each item's outcome
 * </pre>
 *
 * <ul>
 *   <li>An item is answered exactly once: with the store's outcome, or with the error of its batch.
 *   <li>A batch that the store refuses falls apart; one item's fault is that item's alone.
 *   <li>A transition can't simply be sent again, since it moves the fence that it names: {@link
 *       dev.durable.internal.commit.TransitionLane} reads back under lock what became of it where the answer to COMMIT is lost.
 *   <li>What waits is bounded by bytes ({@link dev.durable.internal.commit.Weights}); who adds more is held back.
 * </ul>
 */
@NullMarked
package dev.durable.internal.commit;

import org.jspecify.annotations.NullMarked;
