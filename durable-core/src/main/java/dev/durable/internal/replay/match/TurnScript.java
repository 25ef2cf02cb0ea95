package dev.durable.internal.replay.match;

import dev.durable.history.HistoryEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Receives the commands of one turn: a live turn collects them, a replayed turn matches them with the history. */
public sealed interface TurnScript permits LiveScript, RecordedScript {
    /** Returns the fed event. */
    HistoryEvent.Inbound event();

    /** Returns the time of the turn, at which the event was fed. */
    Instant at();

    /**
     * Returns whether it is a first turn in which the code waits for the messages behind it, see {@code
     * FirstTurnStarted}.
     */
    boolean withNext();

    /**
     * Takes a command of the code.
     *
     * @return the command in the history: the recorded one where there is one
     * @throws Divergence where the history has another command
     */
    <C extends HistoryEvent.Command> C put(CommandDraft<C> draft);

    /** Returns the command that the history has next; null where it has none, or the turn is live. */
    HistoryEvent.@Nullable Command expected();

    boolean isLive();
}
