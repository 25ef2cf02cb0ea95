package dev.durable.replay;

import dev.durable.history.HistoryEvent;
import java.time.Instant;

/** Builds a command once its event id and time are known. */
@FunctionalInterface
interface Draft<C extends HistoryEvent.Command> {
    C at(long id, Instant at);
}
