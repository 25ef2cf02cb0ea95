package dev.durable.internal.replay.match;

import dev.durable.history.HistoryEvent;
import java.util.List;

/**
 * The result of feeding one inbound event: the event, and the commands that the code gave until all its coroutines were
 * blocked. Commands have the ids after the event's and its time.
 *
 * @param event what was fed
 * @param commands in the order given
 * @param log writes what the code logged meanwhile; nothing of a turn is visible before its commit
 */
public record Turn(HistoryEvent.Inbound event, List<HistoryEvent.Command> commands, Runnable log) {

    public Turn {
        commands = List.copyOf(commands);
    }

    /** The id after the turn's last event. */
    public long nextEventId() {
        return event.id() + 1 + commands.size();
    }

    /** To be called once, when the turn is committed. */
    public void onCommitted() {
        log.run();
    }
}
