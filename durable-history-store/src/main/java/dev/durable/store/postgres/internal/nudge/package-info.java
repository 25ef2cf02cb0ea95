/**
 * Nudges: messages by NOTIFY and LISTEN that tell other processes that something became due, closed or changed.
 *
 * <ul>
 *   <li>A nudge may be lost, as polling finds the work, too. It is never sent inside the transaction that it is about.
 *   <li>The channel's name is a secret of the schema: only users that may read the schema can send on it.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.nudge;

import org.jspecify.annotations.NullMarked;
