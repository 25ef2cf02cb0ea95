/**
 * Tells observers and the flight recorder what happens, from three places:
 *
 * <pre>
 *   ObservedStore   around the store: starts, batches, claims, sessions, the relay
 *   Telemetry       asked by runs, attempts and upkeep, for what the store does not see
 *   QueueSampler    a chore: reads what waits, in one process for all
 *        └────────► Observers ─► each EngineObserver, whose exceptions end here
 * </pre>
 *
 * <ul>
 *   <li>Without observers the engine works on the bare store, {@link dev.durable.internal.observe.Telemetry} makes no object and
 *       reads no clock, and there is no sampler. The flight recorder's events are made only while it records them, and not at
 *       all in an image without the module {@code jdk.jfr}.
 *   <li>Nothing that is told here changes what is done: no observer is called under a lock or before a commit, and none can
 *       throw into the engine.
 *   <li>Where a process dies, what was not told is lost.
 *   <li>Failures are lines of the log, too ({@link dev.durable.internal.observe.FailureLog}); what failed alike has one {@link
 *       dev.durable.internal.observe.Fingerprint}.
 * </ul>
 */
@NullMarked
package dev.durable.internal.observe;

import org.jspecify.annotations.NullMarked;
