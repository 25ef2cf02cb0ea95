package dev.durable.replay;

import dev.durable.history.HistoryEvent;
import java.time.Instant;

/** A command but for its place in the history. */
@FunctionalInterface
interface Draft<C extends HistoryEvent.Command> {
    C at(long id, Instant at);
}
