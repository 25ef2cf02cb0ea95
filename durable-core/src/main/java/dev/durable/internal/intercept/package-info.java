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
 * <p>What an interceptor throws is kept apart from what came of the call inside: the outcome of the call is what its caller
 * gets, whatever interceptors make of its exceptions, but that an exception may be replaced by another where it goes to a
 * caller or is the failure of an attempt.
 */
@NullMarked
package dev.durable.internal.intercept;

import org.jspecify.annotations.NullMarked;
