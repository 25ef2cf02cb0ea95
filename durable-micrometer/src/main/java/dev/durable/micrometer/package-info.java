/**
 * Meters of an engine for Micrometer: {@code DurableEngine.builder(store).observe(DurableMetrics.of(registry))}.
 *
 * <pre>
 *   engine ── events ──► DurableMetrics ──► WorkflowMeters, ActivityMeters, EngineRoomMeters   counters, timers
 *      ▲                       └──────────► QueueGauges            what one process reads for all
 *      └── statistics() ◄── EngineGauges ◄── a scrape              what this process has now
 * </pre>
 *
 * <ul>
 *   <li>{@link dev.durable.micrometer.DurableMeter} has every meter that is made here, with its unit and tags; a test compares it
 *       with {@code docs/metrics.md} and with what a real run makes.
 *   <li>Tags are names of code, of queues and of constants, never ids: {@link dev.durable.micrometer.BoundedMeters} keeps even those
 *       to a number.
 *   <li>An event costs one look-up and what the registry takes to count; meters are made when their first event comes.
 * </ul>
 */
@NullMarked
package dev.durable.micrometer;

import org.jspecify.annotations.NullMarked;
