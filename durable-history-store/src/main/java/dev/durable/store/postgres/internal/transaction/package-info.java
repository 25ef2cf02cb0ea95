/**
 * The transactions of callers and of activity bodies: starts and messages that take part in them, the outbox and its relay.
 *
 * <ul>
 *   <li>A message in a caller's transaction is a row of the outbox; a relay delivers it after the commit. Transitions write
 *       rows of the same table for messages that workflow code sends to other workflows.
 *   <li>The orders to start and to end children are rows of that table, too. An order to end the children of a chain stands
 *       there until none is left, and is carried out in transactions of its own.
 *   <li>The last statements of a transactional body's transaction are those of its outcome: both commit, or neither.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.transaction;

import org.jspecify.annotations.NullMarked;
