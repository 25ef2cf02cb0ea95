/**
 * Compares what the code does with what the history has: the commands of one turn, and what is said where they differ.
 *
 * <ul>
 *   <li>{@link dev.durable.internal.replay.match.TurnScript} is the one way of a command: {@code LiveScript} collects it,
 *       {@code RecordedScript} matches it.
 *   <li>A difference ends the run in this process with {@link dev.durable.internal.replay.match.Divergence}, which shows both
 *       side by side, the first difference, the line of code, and the likely cause.
 * </ul>
 *
 * <p>Knows neither coroutines nor promises.
 */
@NullMarked
package dev.durable.internal.replay.match;

import org.jspecify.annotations.NullMarked;
