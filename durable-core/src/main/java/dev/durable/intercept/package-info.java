/**
 * Interceptors around calls of clients and around work of workers, and propagators that carry the context of a caller
 * (a tenant, a user, a trace) to the code that runs for it later, in other processes.
 *
 * <pre>
 *   client.start(…)                                        a worker
 *     capture ─► interceptors ─► headers of the run ─┬──► turn:      restore ─► interceptors ─► workflow code
 *                                                    └──► activity:  restore ─► interceptors ─► body
 * </pre>
 *
 * <p>Interceptors are called in the order in which they were registered: the first is the outermost. They see the
 * called method and the headers, not arguments and results; they may change headers where these are about to be
 * recorded, and may refuse a call by an exception. They can't change the outcome of a call: an exception of the call
 * itself that an interceptor swallows is thrown all the same.
 *
 * <p>Registered with {@link dev.durable.client.DurableEngine.Builder#intercept} and {@link
 * dev.durable.client.DurableEngine.Builder#propagate}. All are used by several threads at once. Nothing registered costs
 * nothing.
 */
@NullMarked
package dev.durable.intercept;

import org.jspecify.annotations.NullMarked;
