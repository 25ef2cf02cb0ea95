/**
 * The history of a run, event by event: the only truth about it.
 *
 * <pre>{@code
 * history  = Started Command* (Inbound Command*)* Closing?      (Informing events may stand anywhere, and are in no turn)
 * turn     = one Inbound event and exactly the commands the code gives until it is blocked
 * }</pre>
 *
 * <p>{@link HistoryEvent} is sealed by those four kinds; each event is a record of its own. Ids of a run are 1..n without
 * a gap. Events are append-only: what is written is never changed, and what a newer version wrote is kept as {@link
 * UnknownEvent}. {@code EventJson} is the one encoder and the one decoder of events, for the engine and for the stores; {@code
 * OptionsJson} is that of activity options.
 */
@NullMarked
package dev.durable.history;

import org.jspecify.annotations.NullMarked;
