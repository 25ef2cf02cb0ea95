/**
 * One run in the memory of this process: its instance, the events that wait to be fed, and the one transition under
 * way.
 *
 * <pre>
 *   RunClaimLoop ─► Runs ─► RunActor ◄─ RunMail          RunActor: idle ─► feeding ─► writing ─► idle | closed | lost
 *                             │
 *                  HeldRun: LiveRun (instance), fence, waiting events ─ feed ─► TransitionDraft ─► commit
 * </pre>
 *
 * <ul>
 *   <li>A run's state belongs to its {@link dev.durable.internal.run.RunActor}, which {@link
 *       dev.durable.internal.run.RunActorLoop} runs on one thread at a time. All other threads post {@link
 *       dev.durable.internal.run.RunMail}.
 *   <li>A run has at most one transition under way. None of its effects is visible before its commit is known.
 *   <li>Events are fed before they are durable. If the write is lost, the instance is dropped and rebuilt from history.
 *   <li>Dropping a cached run costs a replay, never correctness.
 * </ul>
 */
@NullMarked
package dev.durable.internal.run;

import org.jspecify.annotations.NullMarked;
