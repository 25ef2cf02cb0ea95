package dev.durable.internal.replay;

import dev.durable.history.ActivityCancelled;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowForked;
import dev.durable.internal.replay.call.DurableCalls;
import dev.durable.internal.replay.match.Comparison;
import dev.durable.internal.replay.match.RecordedScript;
import dev.durable.internal.replay.match.RecordedTurn;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Replays consecutive recorded turns: the driver begins the first, and the coroutine that finds all others blocked
 * begins the next, so that a page of a history costs one hand-over between threads.
 */
final class Playback implements BooleanSupplier {
    private final DurableCalls run;
    private final Comparison comparison;
    private final Iterator<RecordedTurn> left;
    private @Nullable RecordedScript script;
    /** The forks behind the turn that is being made. */
    private List<WorkflowForked> forks = List.of();

    Playback(DurableCalls run, Comparison comparison, List<RecordedTurn> turns) {
        this.run = run;
        this.comparison = comparison;
        this.left = turns.iterator();
    }

    /** Ends the turn that was made and begins the next; returns false where there is none. */
    @Override
    public boolean getAsBoolean() {
        if (script != null) {
            script.end();
            forks.forEach(run::forked);
        }
        if (!left.hasNext()) {
            return false;
        }
        RecordedTurn turn = left.next();
        forks = turn.forks();
        if (isBehindTheEnd(turn.event())) {
            throw comparison.behindTheEnd(turn.event(), run.ending().isContinued());
        }
        if (!run.feed().accepts(turn.event())) {
            throw comparison.unexpected(turn.event());
        }
        if (turn.event() instanceof HistoryEvent.ActivityClosed closed
                && closed.local() != null
                && !run.work().hasInput(closed.seq(), closed.local())
                && comparison.refusesOtherText()) {
            throw comparison.otherInput(turn.event(), closed.local());
        }
        run.versions().learn(turn.commands());
        script = new RecordedScript(turn, comparison);
        run.begin(script);
        return true;
    }

    /**
     * Returns whether the event comes to a run that is over for the code, as another run goes on: it would be in the
     * state of neither. Only the ends of activities which that cancels are written behind it.
     */
    private boolean isBehindTheEnd(HistoryEvent.Inbound event) {
        return (run.ending().isContinued() || run.ending().isRetried()) && !(event instanceof ActivityCancelled);
    }
}
