/**
 * Who runs and who waits: the coroutines of one run, their promises, and the baton that only one of them has.
 *
 * <ul>
 *   <li>Whoever has the {@link dev.durable.internal.replay.coroutine.Baton} touches the run, nobody else, so nothing here is
 *       synchronized.
 *   <li>Ready coroutines run first-in first-out; a condition that holds goes before the queue. These orders never change.
 *   <li>Knows no activity and no timer: they are {@link dev.durable.internal.replay.coroutine.OpenOperation}s to it.
 * </ul>
 */
@NullMarked
package dev.durable.internal.replay.coroutine;

import org.jspecify.annotations.NullMarked;
