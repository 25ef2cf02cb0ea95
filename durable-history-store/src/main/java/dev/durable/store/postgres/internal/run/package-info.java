/**
 * The rows of runs and their histories: start, step, claim, end.
 *
 * <ul>
 *   <li>The fast form of a batch assumes that everything is as expected and counts the rows; if a count is wrong, the
 *       careful form ({@link dev.durable.store.postgres.internal.run.CarefulStarts}, {@link
 *       dev.durable.store.postgres.internal.run.CarefulTransitions}) locks the rows and checks each item.
 *   <li>A transition counts only while the fence that it names stands in the row.
 *   <li>Locks are taken in one order: runs, then jobs, then inboxes.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.run;

import org.jspecify.annotations.NullMarked;
