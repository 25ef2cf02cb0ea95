/**
 * The choice of the jobs that run in this process: claims from task queues, slots, pools, limits.
 *
 * <pre>
 *   task queue ─► ActivityWorker ─ claims no more than there are free slots ─► ActivityStarter ─► attempt
 *                      ▲                                                           │
 *             RulesWatch: pauses, limits                              ActivityReports ─► run cached here, else the inbox
 * </pre>
 *
 * <ul>
 *   <li>A job is claimed only when a slot is free for it, so no lease lies idle in memory.
 *   <li>{@link dev.durable.internal.dispatch.HeldLeases} compares again and again the leases that the store has for
 *       this process with those that the process knows: no claim depends on an answer that may be lost.
 * </ul>
 */
@NullMarked
package dev.durable.internal.dispatch;

import org.jspecify.annotations.NullMarked;
