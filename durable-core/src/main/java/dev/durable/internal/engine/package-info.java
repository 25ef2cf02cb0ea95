/**
 * The loops of a worker process: claim, replay, commit; claim, run, complete.
 *
 * <pre>
 *   client.start ─► RunActor ─first turn─► Lane starts ──┐                       ┌─► slots ─► Attempt ─► outcome ─┐
 *                      ▲                                 ▼                       │                               │
 *   RunClaims ─claim───┤                              commit ── jobs made here ──┘    ActivityWorker ─claim──────┤
 *                      │                                 ▲                                                       │
 *                      ├── feed ─► Draft ─► TransitionLane                                                       │
 *                      └───────────────────────── cached here: fed at once ◄─────────────────────────────────────┤
 *                                                    else: Lane jobs ─► inbox ◄──────────────────────────────────┘
 * </pre>
 *
 * <p>These rules hold everywhere:
 *
 * <ul>
 *   <li>Every loop is a {@link dev.durable.internal.drive.Step}: one call, no clock but the store's, no sleep of its own. A
 * {@link
 *       dev.durable.internal.drive.Drive} runs the steps: on threads in production, by one pump on virtual time in tests.
 *   <li>A step that gets no answer from the store throws an exception, in a state from which its next call goes on:
 * {@link
 *       dev.durable.internal.drive.PatientDrive} decides when that comes.
 *   <li>A run's state in memory belongs to its {@link dev.durable.internal.run.RunActor}, which {@link
 *       dev.durable.internal.run.RunActorLoop} runs on one thread at a time. All other threads post mail.
 *   <li>A run has at most one transition under way. Nothing of it is visible (no activity body, log line, result) before
 *       its success callback.
 *   <li>Events are fed before they are durable. If the write is lost, the instance is dropped and rebuilt from history;
 *       outcomes of activities go to the inbox under their lease; messages never left it.
 *   <li>An engine that was closed, or could not start, leaves no thread and no waiting caller: the JVM keeps a parked
 *       virtual thread, with all that it refers to, until it ends.
 * </ul>
 *
 * <p>The windows in which the process may die or pause, with the state that is left and the process that goes on:
 *
 * <table>
 *   <caption>Crash windows</caption>
 *   <tr><th>between</th><th>state that is left</th><th>process that goes on</th></tr>
 *   <tr><td>claim and transition</td><td>{@code owned_until}, the inbox as it was</td><td>any claimer, when it has
 *       passed or the owner's session is dead; the paused one then finds its fence lost</td></tr>
 *   <tr><td>claim and its answer</td><td>runs under the claim's fence, jobs under this session</td><td>the next claim
 *       of runs, which names the fence; the comparison of this session's leases gives the jobs back</td></tr>
 *   <tr><td>COMMIT and its answer</td><td>the fence and the first event's fence</td><td>the lane reads back under lock</td></tr>
 *   <tr><td>commit and start of an eager job</td><td>a job leased to this session</td><td>a living process starts it or
 *       releases what it does not know; of a dead one the sweep re-queues it</td></tr>
 *   <tr><td>end of an attempt and that of its body, which ignores its interrupt</td><td>its place under limits, kept in
 *       the store</td><td>its worker frees it when the body has ended; the end of the session or a minute does, too</td></tr>
 *   <tr><td>end of a body and its outcome's commit</td><td>the job, its lease</td><td>the next attempt: at least once</td></tr>
 * </table>
 */
@NullMarked
package dev.durable.internal.engine;

import org.jspecify.annotations.NullMarked;
