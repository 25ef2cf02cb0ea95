package dev.durable.internal.replay.match;

import dev.durable.history.HistoryEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Receives the commands of one turn: a live turn collects them, a replayed turn matches them with the history. */
public sealed interface TurnScript permits LiveScript, RecordedScript {
    /** What was fed. */
    HistoryEvent.Inbound event();

    /** The time of the turn: when the event was fed. */
    Instant at();

    /** Whether it is a first turn in which the code waits for the messages behind it, see {@code FirstTurnStarted}. */
    boolean withNext();

    /**
     * The code gives a command.
     *
     * @return what stands in the history: the recorded one where there is one
     * @throws Divergence where the history has another
     */
    <C extends HistoryEvent.Command> C put(CommandDraft<C> draft);

    /** The command that the history has next; null where it has none, or the turn is live. */
    HistoryEvent.@Nullable Command expected();

    boolean isLive();
}
