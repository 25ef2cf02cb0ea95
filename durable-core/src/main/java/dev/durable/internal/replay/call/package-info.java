/**
 * The implementation of the static calls of {@code Durable}, of stubs and of promises: a class for each family of calls
 * (activities, timers, waits, messages to other workflows, streams, side effects, versions), the end of the run, and the
 * events that are applied to it.
 *
 * <pre>
 *   code ─► Durable, Promise, stub ─► DurableCalls ─► WaitCalls · ActivityCalls · ExternalCalls · Coroutines · Versions ·
 *                                                         │               RunEnding
 *                                                         │ every command
 *                                                         ▼
 *                                            CurrentTurn ─► TurnScript
 * </pre>
 *
 * <ul>
 *   <li>Each call is checked first: the run is alive, the place allows it, the coroutine is not cancelled.
 *   <li>Every command goes through {@link dev.durable.internal.replay.call.CurrentTurn}, which gives it its id and time.
 *   <li>{@link dev.durable.internal.replay.call.Combinators}, {@link dev.durable.internal.replay.call.RetriedBlocks} and
 *       {@link dev.durable.internal.replay.call.SagaScope} give no commands of their own: they are built of coroutines,
 *       promises and timers, so nothing of them is recorded.
 * </ul>
 */
@NullMarked
package dev.durable.internal.replay.call;

import org.jspecify.annotations.NullMarked;
