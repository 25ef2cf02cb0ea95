/**
 * The orders of operators on activities, incidents, dead letters and queues: read the job, decide, write the order, and
 * start over where the job has changed meanwhile. Every order writes its event and its row of the audit in its own
 * transaction.
 */
@NullMarked
package dev.durable.internal.client.operate;

import org.jspecify.annotations.NullMarked;
