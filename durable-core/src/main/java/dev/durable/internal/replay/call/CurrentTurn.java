package dev.durable.internal.replay.call;

import dev.durable.ContinueAsNewReason;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackFailed;
import dev.durable.history.CarriedChild;
import dev.durable.history.ChainLink;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.LocalCall;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.SignalReceived;
import dev.durable.history.StreamAppended;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.replay.coroutine.Dispatcher;
import dev.durable.internal.replay.coroutine.Eviction;
import dev.durable.internal.replay.match.CommandDraft;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.replay.match.TurnScript;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The turn that is being made: its time, and the destination of its commands, which is the history or the comparison
 * with it.
 */
final class CurrentTurn {
    /** The most commands of one turn before the code is taken for a loop; a turn is one transaction. */
    static final int MAX_COMMANDS = 50_000;

    static final long MANY_EVENTS = 10_000;
    static final long MANY_CHARACTERS = 20_000_000;

    private final Dispatcher dispatcher;
    private @Nullable TurnScript script;
    private int commands;
    private long characters;
    private long given;

    CurrentTurn(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    void begin(TurnScript turn) {
        script = turn;
        commands = 0;
        characters += charactersOf(turn.event());
    }

    Instant now() {
        return script().at();
    }

    /**
     * Returns the events in the history up to the one being fed; those between the start and the first turn do not
     * count.
     */
    long length() {
        HistoryEvent.Inbound event = script().event();
        return event instanceof WorkflowStarted ? 1 : event.id();
    }

    /** Returns why the run should continue as new. */
    Set<ContinueAsNewReason> continueAsNewSuggested() {
        Set<ContinueAsNewReason> reasons = EnumSet.noneOf(ContinueAsNewReason.class);
        if (length() > MANY_EVENTS) {
            reasons.add(ContinueAsNewReason.HISTORY_EVENTS);
        }
        if (characters > MANY_CHARACTERS) {
            reasons.add(ContinueAsNewReason.HISTORY_BYTES);
        }
        return reasons;
    }

    /** Returns the characters of the payloads in the history up to now. */
    long characters() {
        return characters;
    }

    /** Returns the characters of the event's payload, which are most of it. */
    private static int charactersOf(HistoryEvent event) {
        return switch (event) {
            case WorkflowStarted e -> e.input().json().length() + charactersOfChildren(e.chain());
            case SignalReceived e -> e.input().json().length();
            case UpdateAccepted e -> e.input().json().length();
            case ActivityCompleted e -> e.result().json().length() + charactersOf(e.local());
            case HistoryEvent.ActivityClosed e -> charactersOf(e.local());
            case ActivityScheduled e -> e.input().json().length();
            case SideEffectRecorded e -> e.value().json().length();
            case StreamAppended e -> e.value().json().length();
            case UpdateCompleted e -> e.result().json().length();
            case ExternalSignalRequested e -> e.input().json().length();
            case ChildStartRequested e -> e.input().json().length();
            case ChildSignalRequested e -> e.input().json().length();
            case ChildCompleted e -> e.result().json().length();
            case CallbackCompleted e -> e.result().json().length();
            case CallbackFailed e -> e.value() == null ? 0 : e.value().json().length();
            default -> 0;
        };
    }

    /** Returns the characters of the arguments of a local activity, which stand in no command. */
    private static int charactersOf(@Nullable LocalCall local) {
        return local == null ? 0 : local.input().json().length();
    }

    /** Returns the characters of the results of children that the run before has left to this one. */
    private static int charactersOfChildren(@Nullable ChainLink chain) {
        int characters = 0;
        for (CarriedChild child : chain == null ? List.<CarriedChild>of() : chain.children()) {
            characters += child.end() == null ? 0 : charactersOf(child.end());
        }
        return characters;
    }

    /** Returns whether this turn is new rather than made again. */
    boolean isLive() {
        return script().isLive();
    }

    /** Returns whether this turn is made again, and the history has no further command of it. */
    boolean isMadeAgainToItsEnd() {
        return !isLive() && expected() == null;
    }

    /** Returns the command that the history has next; null where it has none, or the turn is live. */
    HistoryEvent.@Nullable Command expected() {
        return script().expected();
    }

    /** Adds a command of the code; returns the command of the history. A divergence does not return to the code. */
    <C extends HistoryEvent.Command> C put(CommandDraft<C> draft) {
        dispatcher.checkAlive();
        try {
            if (++commands > MAX_COMMANDS) {
                throw dispatcher.threads().tooMany("commands", MAX_COMMANDS);
            }
            C put = script().put(draft);
            given++;
            characters += charactersOf(put);
            return put;
        } catch (Divergence | StalledException e) {
            dispatcher.die(e);
            throw Eviction.INSTANCE;
        }
    }

    /** Returns how many commands the code has given so far, in all turns. */
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
