/**
 * Compares the commands that the code gives in a turn with those in the history, and describes their differences.
 *
 * <ul>
 *   <li>{@link dev.durable.internal.replay.match.TurnScript} is the one way of a command: {@code LiveScript} collects it,
 *       {@code RecordedScript} matches it.
 *   <li>A difference ends the run in this process with {@link dev.durable.internal.replay.match.Divergence}, which shows both
 *       side by side, the first difference, the line of code, and the likely cause.
 *   <li>{@link dev.durable.internal.replay.match.ReplaySetup} has what all instances of an engine share, among it the {@link
 *       dev.durable.internal.replay.match.AsideThreads} of queries and validators.
 * </ul>
 *
 * <p>The package knows neither coroutines nor promises.
 */
@NullMarked
package dev.durable.internal.replay.match;

import org.jspecify.annotations.NullMarked;
