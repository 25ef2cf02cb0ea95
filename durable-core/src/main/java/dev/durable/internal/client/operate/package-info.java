/**
 * What operators do with activities, incidents, dead letters and queues: read, decide, give an order, and again where the job
 * has moved on meanwhile. Every order leaves its event and its row of the audit in the transaction that does it.
 */
@NullMarked
package dev.durable.internal.client.operate;

import org.jspecify.annotations.NullMarked;
