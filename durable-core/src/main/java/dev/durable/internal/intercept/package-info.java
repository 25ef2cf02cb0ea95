/**
 * Passes calls through the interceptors that are registered with an engine, and carries the context of callers in headers.
 *
 * <pre>
 *   ClientChain    StartCall, SignalCall, …    ─► interceptor 1 ─► interceptor 2 ─► the call
 *   WorkerChain    ActivityCall, TurnCall, …   ─► interceptor 1 ─► interceptor 2 ─► the work
 *   Propagation    capture: context of the caller's thread ─► headers        restore: headers ─► context of this thread
 * </pre>
 *
 * <p>An engine has one {@link dev.durable.internal.intercept.Interception}, made when it is built and never changed; with
 * nothing registered its parts are empty, and each place that asks them goes straight on.
 *
 * <p>An exception of an interceptor is kept apart from the outcome of the call inside: the caller gets the outcome of
 * the call, whatever interceptors do with its exceptions. There is one exception to that: where an exception goes to a
 * caller of the client, or is the failure of an attempt, interceptors may replace it by another.
 */
@NullMarked
package dev.durable.internal.intercept;

import org.jspecify.annotations.NullMarked;
