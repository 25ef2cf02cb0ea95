/**
 * The transactions of callers and of activity bodies: starts and messages that take part in them, the outbox and its relay.
 *
 * <ul>
 *   <li>What a caller's transaction writes is a row of the outbox; it is delivered after the commit, by whoever commits first or
 *       by a relay.
 *   <li>The last statements of a transactional body's transaction are those of its outcome: both commit, or neither.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.transaction;

import org.jspecify.annotations.NullMarked;
