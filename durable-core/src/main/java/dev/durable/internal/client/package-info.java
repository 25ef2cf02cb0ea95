/**
 * The implementation of the client: starts, messages, results, streams, queries, listings.
 *
 * <p>A client talks to the store through its process's {@link dev.durable.internal.client.access.Dispatch}: starts and messages take the
 * group-commit lanes, results come at once when the run closes in this process and by one shared poll otherwise. Every
 * acknowledged call is durable; a call whose answer is lost is sent again under the same id until it is answered.
 */
@NullMarked
package dev.durable.internal.client;

import org.jspecify.annotations.NullMarked;
