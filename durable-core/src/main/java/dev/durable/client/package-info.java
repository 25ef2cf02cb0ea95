/**
 * The types that callers and operators use: the engine and its builder, the client, handles of runs, jobs, batches and
 * activities, start options, listings, queues, incidents and dead letters.
 *
 * <p>Workflow and activity code imports {@link dev.durable} only. Every type here may be used by several threads at once
 * unless its documentation says otherwise. A call that writes is durable when it returns, or, where it takes part in the
 * caller's transaction, when that transaction commits.
 */
@NullMarked
package dev.durable.client;

import org.jspecify.annotations.NullMarked;
