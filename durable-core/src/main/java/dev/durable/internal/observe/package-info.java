/**
 * Reports to observers and the flight recorder, from three places:
 *
 * <pre>
 *   ObservedStore   around the store: starts, batches, claims, sessions, the relay
 *   Telemetry       called by runs, attempts and upkeep, for what the store does not see
 *   QueueSampler    a chore: counts waiting jobs, in one process for all
 *        └────────► Observers ─► each EngineObserver, whose exceptions end here
 * </pre>
 *
 * <ul>
 *   <li>Without observers the engine works on the bare store, {@link dev.durable.internal.observe.Telemetry} makes no object and
 *       reads no clock, and there is no sampler. The flight recorder's events are made only while it records them, and not at
 *       all in an image without the module {@code jdk.jfr}.
 *   <li>No report changes what the engine does: no observer is called under a lock or before a commit, and none can
 *       throw into the engine.
 *   <li>Where a process dies, reports that it has not made yet are lost.
 *   <li>Failures are lines of the log, too ({@link dev.durable.internal.observe.FailureLog}); failures of one kind and
 *       place have one {@link dev.durable.internal.observe.Fingerprint}.
 * </ul>
 */
@NullMarked
package dev.durable.internal.observe;

import org.jspecify.annotations.NullMarked;
