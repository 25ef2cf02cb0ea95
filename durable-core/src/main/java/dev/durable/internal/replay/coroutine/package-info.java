/**
 * The coroutines of one run, their promises, and the baton that only one of them has.
 *
 * <ul>
 *   <li>Only the thread that has the {@link dev.durable.internal.replay.coroutine.Baton} touches the run, so nothing
 *       here is synchronized.
 *   <li>Ready coroutines run first-in first-out; a condition that holds goes before the queue. These orders never change.
 *   <li>The package knows no activity and no timer: it sees them as {@link
 *       dev.durable.internal.replay.coroutine.OpenOperation}s.
 * </ul>
 */
@NullMarked
package dev.durable.internal.replay.coroutine;

import org.jspecify.annotations.NullMarked;
