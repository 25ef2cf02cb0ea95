/**
 * One run in the memory of this process: its instance, what waits to be fed, and the one transition under way.
 *
 * <pre>
 *   RunClaimLoop ─► Runs ─► RunActor ◄─ RunMail          RunActor: idle ─► feeding ─► writing ─► idle | closed | lost
 *                             │
 *                  HeldRun: LiveRun (instance), fence, what waits ─ feed ─► TransitionDraft ─► commit
 * </pre>
 *
 * <ul>
 *   <li>A run's state belongs to its {@link dev.durable.internal.run.RunActor}, which {@link dev.durable.internal.run.RunActorLoop}
 *       runs on one thread at a time. Everybody else posts {@link dev.durable.internal.run.RunMail}.
 *   <li>A run has at most one transition under way. Nothing of it is visible before its commit is known.
 *   <li>Events are fed before they are durable. If the write is lost, the instance is dropped and rebuilt from history.
 *   <li>Losing a cached run costs a replay, never correctness.
 * </ul>
 */
@NullMarked
package dev.durable.internal.run;

import org.jspecify.annotations.NullMarked;
