package dev.durable.internal.replay.match;

import dev.durable.history.HistoryEvent;
import java.time.Instant;

/** Builds a command once its event id and time are known. */
@FunctionalInterface
public interface CommandDraft<C extends HistoryEvent.Command> {
    C at(long id, Instant at);
}
