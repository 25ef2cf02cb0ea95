package dev.durable.internal.replay.match;

import dev.durable.history.HistoryEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@link TurnScript} of a new turn: collects the commands that the code gives. */
public final class LiveScript implements TurnScript {
    private final HistoryEvent.Inbound event;
    private final Instant at;
    private final boolean withNext;
    private final List<HistoryEvent.Command> given = new ArrayList<>(2);

    public LiveScript(HistoryEvent.Inbound event, Instant at, boolean withNext) {
        this.event = event;
        this.at = at;
        this.withNext = withNext;
    }

    @Override
    public HistoryEvent.Inbound event() {
        return event;
    }

    @Override
    public Instant at() {
        return at;
    }

    @Override
    public boolean withNext() {
        return withNext;
    }

    @Override
    public <C extends HistoryEvent.Command> C put(CommandDraft<C> draft) {
        C command = draft.at(event.id() + 1 + given.size(), at);
        given.add(command);
        return command;
    }

    @Override
    public HistoryEvent.@Nullable Command expected() {
        return null;
    }

    @Override
    public boolean isLive() {
        return true;
    }

    public List<HistoryEvent.Command> given() {
        return given;
    }
}
