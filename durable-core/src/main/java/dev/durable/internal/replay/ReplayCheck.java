package dev.durable.internal.replay;

import dev.durable.NonDeterminismException;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackOpened;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowResumed;
import dev.durable.history.WorkflowTerminated;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.replay.match.Comparison;
import dev.durable.internal.replay.match.Divergence;
import dev.durable.internal.replay.match.DivergenceAdvice;
import dev.durable.internal.replay.match.PendingWait;
import dev.durable.internal.replay.match.RecordedTurn;
import dev.durable.internal.replay.match.ReplaySetup;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunKey;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Checks that code still gives the commands of a history: replayed from scratch, and cut after every turn and continued
 * from there, as by a worker that takes the run over.
 */
public final class ReplayCheck {
    private static final UUID ANY_ID = new UUID(0, 0);

    private final WorkflowType type;
    private final ReplaySetup setup;

    public ReplayCheck(WorkflowType type, ReplaySetup setup) {
        this.type = type;
        this.setup = setup;
    }

    /**
     * Replays the whole history once.
     *
     * @throws NonDeterminismException where the code gives other commands
     */
    public void fromScratch(History history) {
        WorkflowInstance instance = instance(history);
        try {
            replayed(instance, history);
        } catch (Divergence e) {
            throw e.told();
        } finally {
            instance.evict();
        }
    }

    /**
     * Replays the history of an open run.
     *
     * @return the wait of each of its coroutines, in the order of their creation
     * @throws NonDeterminismException where the code gives other commands
     */
    public List<PendingWait> waits(History history) {
        WorkflowInstance instance = instance(history);
        try {
            replayed(instance, history);
            return instance.waits();
        } catch (Divergence e) {
            throw e.told();
        } finally {
            instance.evict();
        }
    }

    private static void replayed(WorkflowInstance instance, History history) {
        if (!history.started().firstTurnDone() && history.stream().skip(1).allMatch(ReplayCheck::fromOutside)) {
            // The first turn may not have run yet, or never did.
            instance.feed(history.started());
            return;
        }
        instance.replay(RecordedTurn.of(history));
        if (history.getLast() instanceof HistoryEvent.Closing closing) {
            instance.replayClose(closing);
        }
    }

    /**
     * For each of the first turns, replays the turns before it and feeds it live. The time is quadratic, so the number
     * is bounded.
     *
     * @param maxTurns how many turns are cut at the most
     * @throws NonDeterminismException where the code gives other commands
     */
    public void cutAfterEveryTurn(History history, int maxTurns) {
        List<RecordedTurn> turns = RecordedTurn.of(history);
        for (int cut = 1; cut < Math.min(turns.size(), maxTurns); cut++) {
            continueAfter(history, turns, cut);
        }
    }

    private static boolean fromOutside(HistoryEvent event) {
        return switch (event) {
            case HistoryEvent.Closing closing ->
                switch (closing) {
                    case WorkflowTerminated ignored -> true;
                    case WorkflowTimedOut ignored -> true;
                    case WorkflowCompleted ignored -> false;
                    case WorkflowFailed ignored -> false;
                    case WorkflowCancelled ignored -> false;
                    case WorkflowContinuedAsNew end -> end.byStart();
                };
            case WorkflowPaused ignored -> true;
            case WorkflowResumed ignored -> true;
            case HistoryEvent.Inbound ignored -> false;
            case HistoryEvent.Command ignored -> false;
            case HistoryEvent.Informing ignored -> false;
        };
    }

    private void continueAfter(History history, List<RecordedTurn> turns, int cut) {
        WorkflowInstance instance = instance(history);
        try {
            instance.replay(turns.subList(0, cut));
            RecordedTurn next = turns.get(cut);
            if (!instance.accepts(next.event())) {
                throw new NonDeterminismException("after a replay of the first " + cut + " turns of "
                        + Bounds.shown(history.workflowId()) + " nothing waits for " + next.event() + advice());
            }
            List<HistoryEvent.Command> given =
                    instance.feed(next.event(), next.at(), next.withNext()).commands();
            if (!isSame(given, next.commands())) {
                throw new NonDeterminismException("gone on after a replay of the first " + cut + " turns of "
                        + Bounds.shown(history.workflowId()) + ", the code gives for " + next.event() + "\n  " + given
                        + "\nand the history has\n  " + next.commands() + advice());
            }
        } catch (Divergence e) {
            throw e.told();
        } finally {
            instance.evict();
        }
    }

    /** Returns whether the commands are equal but for ids that are drawn anew by each new turn. */
    private static boolean isSame(List<HistoryEvent.Command> given, List<HistoryEvent.Command> recorded) {
        return given.size() == recorded.size()
                && IntStream.range(0, given.size())
                        .allMatch(i -> Comparison.sameText(withoutDrawn(given.get(i)), withoutDrawn(recorded.get(i))));
    }

    private static HistoryEvent.Command withoutDrawn(HistoryEvent.Command command) {
        if (command instanceof CallbackOpened e) {
            return new CallbackOpened(e.id(), e.at(), e.number(), ANY_ID);
        }
        return command instanceof CallbackCancelled e
                ? new CallbackCancelled(e.id(), e.at(), e.number(), ANY_ID)
                : command;
    }

    private String advice() {
        return setup.sameCode() ? "\n\n" + DivergenceAdvice.UNSTEADY : "";
    }

    private WorkflowInstance instance(History history) {
        return new WorkflowInstance(type, new RunKey(history.runId(), history.workflowId()), setup);
    }
}
