/**
 * The rows of {@code activity_job}: updates by holders of leases, orders of operators, and jobs that end without a
 * worker.
 *
 * <ul>
 *   <li>Rows are locked in the order of their keys; a batch locks all of its jobs before it changes one.
 *   <li>An update counts only while its lease token stands in the row.
 * </ul>
 */
@NullMarked
package dev.durable.store.postgres.internal.job;

import org.jspecify.annotations.NullMarked;
