package dev.durable.internal.replay.call;

import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.Eviction;
import dev.durable.internal.replay.match.CommandDraft;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.replay.match.TurnScript;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The turn that is being made: its time, and where the commands of the code go, to the history or to the comparison
 * with it.
 */
final class CurrentTurn {
    /** Commands in one turn before it is taken for a loop; a turn is one transaction. */
    static final int MAX_COMMANDS = 50_000;

    private final Dispatcher dispatcher;
    private @Nullable TurnScript script;
    private int commands;
    private long given;

    CurrentTurn(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    void begin(TurnScript turn) {
        script = turn;
        commands = 0;
    }

    /** The time of the turn. */
    Instant now() {
        return script().at();
    }

    /** Events in the history up to the one being fed; what came between the start and the first turn does not count. */
    long length() {
        HistoryEvent.Inbound event = script().event();
        return event instanceof WorkflowStarted ? 1 : event.id();
    }

    /** Whether this turn is made now, not made again. */
    boolean isLive() {
        return script().isLive();
    }

    /** Whether this turn is made again, and the history has no further command of it. */
    boolean isMadeAgainToItsEnd() {
        return !isLive() && expected() == null;
    }

    /** The command that the history has next; null where it has none, or the turn is live. */
    HistoryEvent.@Nullable Command expected() {
        return script().expected();
    }

    /** The code gives a command. What it gets back is what the history has; a divergence does not return to the code. */
    <C extends HistoryEvent.Command> C put(CommandDraft<C> draft) {
        dispatcher.checkAlive();
        try {
            if (++commands > MAX_COMMANDS) {
                throw dispatcher.threads().tooMany("commands", MAX_COMMANDS);
            }
            C put = script().put(draft);
            given++;
            return put;
        } catch (Divergence | StalledException e) {
            dispatcher.die(e);
            throw Eviction.INSTANCE;
        }
    }

    /** How many commands the code has given so far, in all turns. */
    long given() {
        return given;
    }

    private TurnScript script() {
        if (script == null) {
            throw new AssertionError("nothing was fed yet");
        }
        return script;
    }
}
