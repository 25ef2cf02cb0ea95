/**
 * Runs workflow code against a history: a function from events to commands. No I/O, no clock, no threads but its own
 * coroutines.
 *
 * <pre>
 *   worker's thread                        coroutines (virtual threads; one runs at a time)
 *   ───────────────                        ─────────────────────────────────────────────────
 *   feed(event) ─► EventApplier: settle a promise,
 *                  or make a handler ready
 *              ─► Dispatcher.drive ──baton──► run ──waits──► signal approve ──waits──► async 3 ──┐
 *                                                                                                │ all blocked
 *   Turn(event, commands) ◄──────────baton────────────────────────────────────────────────────────┘
 *
 *   code ─► Durable, Promise, stub ─► DurableCalls ─► WaitCalls · ActivityCalls · Coroutines · Versions · RunEnding
 *                                                         │ every command
 *                                                         ▼
 *                                        CurrentTurn ─► TurnScript: LiveScript collects, RecordedScript matches
 * </pre>
 *
 * <h2>Rules</h2>
 *
 * <ol>
 *   <li><b>A turn is whole.</b> One inbound event, and exactly the commands the code gives until every coroutine is
 *       blocked. Replay feeds the same events and must get the same commands: no more, no fewer, in order.
 *   <li><b>One at a time.</b> Only the thread that has the {@link dev.durable.internal.replay.coroutine.Baton} touches
 *       the run; so nothing here is synchronized. The coroutine that can't go on finds the next one itself ({@link
 *       dev.durable.internal.replay.coroutine.Dispatcher}); the driver waits once per turn and runs no user code.
 *   <li><b>Order is part of the history.</b> Ready coroutines run first-in first-out; a condition that holds goes
 *       before the queue, so it holds when {@code await} returns; when a turn ends no condition holds. Operations are
 *       cancelled in the order of their creation. These orders never change: a run of today is replayed in years.
 *   <li><b>Payloads are decoded from the stored text</b>, when the code first reads them, on a coroutine.
 *   <li><b>Time is the event's time; the n-th draw of a coroutine depends on run, coroutine and n alone.</b>
 *   <li><b>Messages may be fed together.</b> In the turn of a message that is marked as fed with the next event only
 *       its handler runs, to its first wait; conditions and all other coroutines wait for the event behind it. So a
 *       message keeps its place although the run must see those behind it before it ends.
 *   <li><b>The first turn has a time of its own</b>, that of {@code FirstTurnStarted} where a history has one. Where
 *       that is marked as fed with the next event, only the workflow object is created in it, and {@code run} begins
 *       behind the handlers of the messages that follow.
 *   <li><b>Nothing is visible before the commit</b>: commands, log lines, the close all leave with the turn.
 * </ol>
 *
 * <h2>States</h2>
 *
 * A coroutine: {@link dev.durable.internal.replay.coroutine.Coroutine}. The end of a run: {@link
 * dev.durable.internal.replay.call.RunEnding}. A cancelled coroutine is refused every wait that would block and every
 * command, except in {@code detached}; it may read state, ask for versions, and cancel, and wait for outcomes of
 * activities that were cancelled and whose options say so ({@link dev.durable.internal.replay.call.OpenActivity}).
 * Outcomes of cancelled activities are still fed; outcomes of operations that are not open are not ({@link
 * dev.durable.internal.replay.WorkflowInstance#accepts}).
 *
 * <h2>Failure</h2>
 *
 * <ul>
 *   <li>Other commands than recorded: {@link dev.durable.internal.replay.match.Divergence}. An {@code Error}, a blocked
 *       or looping coroutine, data that does not fit, a usage error or an exception that {@code stallOn} lists ({@link
 *       dev.durable.internal.replay.call.StallRules}): {@link dev.durable.internal.replay.match.StalledException}.
 *       Neither returns into user code, neither fails the run: code can be mended, a closed run can't be opened.
 *   <li>Both, and {@code evict()}, end the run in this process: each started coroutine is resumed once with an {@link
 *       dev.durable.internal.replay.coroutine.Eviction}, and every call it makes while it unwinds throws that again.
 *       Its {@code finally} blocks do run, as far as they make no call; effects that they have outside of the run are
 *       not undone, so they should have none.
 *   <li>A driver that waited for too long gives up: the coroutines keep the baton and unwind each other when the one that
 *       hangs comes back, if it does.
 * </ul>
 *
 * <p>CONTRIBUTING lists the places that a new event or command touches; the sealed switches of {@code EventApplier},
 * {@code SideBySide} and {@code Comparison} do not compile until they know it.
 */
@NullMarked
package dev.durable.internal.replay;

import org.jspecify.annotations.NullMarked;
