package dev.durable.internal.replay.match;

import dev.durable.history.HistoryEvent;
import java.util.List;

/**
 * The result of feeding one inbound event: the event, and the commands that the code gave until all its coroutines were
 * blocked. Commands have the ids after the event's and its time.
 *
 * @param event the fed event
 * @param commands the commands in their order
 * @param log writes the lines that the code logged; no effect of a turn is visible before its commit
 */
public record Turn(HistoryEvent.Inbound event, List<HistoryEvent.Command> commands, Runnable log) {

    public Turn {
        commands = List.copyOf(commands);
    }

    /** Returns the id after the turn's last event. */
    public long nextEventId() {
        return event.id() + 1 + commands.size();
    }

    /** Writes the log lines; called once, when the turn is committed. */
    public void onCommitted() {
        log.run();
    }
}
