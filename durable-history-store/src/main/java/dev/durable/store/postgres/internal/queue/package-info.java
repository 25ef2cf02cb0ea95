/**
 * Claims of jobs from task queues, under their rules: pauses, limits, limit keys.
 *
 * <ul>
 *   <li>A claim skips rows that other transactions have locked, and never waits.
 *   <li>A queue without limits is claimed without any lock but those of its jobs.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.queue;

import org.jspecify.annotations.NullMarked;
