/**
 * Nudges: messages by NOTIFY and LISTEN that tell other processes that something became due, closed or changed.
 *
 * <ul>
 *   <li>A nudge may be lost: polling alone is correct. It is never sent inside the transaction that makes it true.
 *   <li>The channel's name is a secret of the schema: only who may read the schema can speak.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.nudge;

import org.jspecify.annotations.NullMarked;
