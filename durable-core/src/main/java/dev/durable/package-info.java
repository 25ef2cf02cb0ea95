/**
 * The types that users import: the annotations of a workflow and its activities, the calls a workflow makes ({@link
 * dev.durable.Durable}), the engine and its client.
 *
 * <p>Everything behind them lives in sub-packages and is not meant to be imported, but for {@code history} (the events,
 * which are a stable read model) and {@code store} (the SPI of a history store).
 */
@NullMarked
package dev.durable;

import org.jspecify.annotations.NullMarked;
