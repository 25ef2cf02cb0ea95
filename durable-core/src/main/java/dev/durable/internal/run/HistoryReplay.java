package dev.durable.internal.run;

import dev.durable.history.EventJson;
import dev.durable.history.FirstTurnStarted;
import dev.durable.history.HistoryEvent;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowResumed;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.drive.Loop;
import dev.durable.internal.replay.match.RecordedTurn;
import dev.durable.internal.replay.match.Turn;
import dev.durable.internal.text.Portion;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Replays a run's history, page by page and turn by turn, to bring a new workflow instance to the state in which the
 * history ends.
 *
 * <p>A history that holds only WorkflowStarted (and pauses) means that the first turn is still to run, unless the event
 * itself says that it was made without a command.
 *
 * @param nextEventId the id after the last event
 * @param firstTurn the first turn, where this replay has run it and its commands are still to be written
 */
public record HistoryReplay(long nextEventId, @Nullable FirstTurn firstTurn) {
    static final int PAGE = 2_000;
    /** The turns that are replayed between two reports of progress. */
    private static final int TURNS = 50;

    /** The time after the start within which a first turn has the start's time, which saves an event. */
    private static final Duration AT_ONCE = Duration.ofSeconds(1);

    /**
     * A first turn that a replay has run for the first time.
     *
     * @param begun the event with its time
     * @param isLater whether that time is later than the start: then the event is written in front of the commands;
     *     else only where no other event would show that the turn was made
     * @param turn its commands
     */
    record FirstTurn(FirstTurnStarted begun, boolean isLater, Turn turn) {}

    private static final Set<String> PAUSES =
            Set.of(WorkflowPaused.class.getSimpleName(), WorkflowResumed.class.getSimpleName());

    /**
     * Replays the whole history of the run.
     *
     * @param runWaits whether a first turn that is still to run lets the messages that wait go before {@code run}; asked
     *     only where there is one
     */
    public static HistoryReplay from(HistoryStore store, UUID runId, LiveRun run, BooleanSupplier runWaits) {
        return from(store, runId, run, store.history(runId, 1, PAGE), runWaits);
    }

    /** Replays the whole history of the run, of which the first page has been read. */
    static HistoryReplay from(
            HistoryStore store, UUID runId, LiveRun run, List<StoredEvent> page, BooleanSupplier runWaits) {
        if (isBeforeFirstTurn(page)
                && (Portion.isWhole(page, PAGE, StoredEvent::atMost)
                        || store.history(runId, page.size() + 1L, 1).isEmpty())
                && read(run, page.getFirst()) instanceof WorkflowStarted started) {
            page.stream().skip(1).forEach(pause -> read(run, pause));
            return new HistoryReplay(page.size() + 1L, firstTurn(run, started, page.size(), runWaits.getAsBoolean()));
        }
        RunInterception interception = run.interception();
        if (interception == null || page.isEmpty()) {
            return new HistoryReplay(replayed(store, runId, run, page), null);
        }
        read(run, page.getFirst());
        return new HistoryReplay(interception.replay(() -> replayed(store, runId, run, page)), null);
    }

    /** Replays the pages of the history; returns the id after the last event. */
    private static long replayed(HistoryStore store, UUID runId, LiveRun run, List<StoredEvent> firstPage) {
        List<RecordedTurn> whole = new ArrayList<>();
        RecordedTurn.Reader turns = new RecordedTurn.Reader(whole::add);
        List<StoredEvent> page = firstPage;
        long next = 1;
        while (!page.isEmpty()) {
            page.forEach(stored -> turns.read(read(run, stored)));
            replay(run, whole);
            whole.clear();
            next += page.size();
            page = Portion.isWhole(page, PAGE, StoredEvent::atMost) ? List.of() : store.history(runId, next, PAGE);
        }
        turns.end();
        replay(run, whole);
        return next;
    }

    /** Replays turns and reports progress, so that a long replay is not taken for a loop that hangs. */
    private static void replay(LiveRun run, List<RecordedTurn> turns) {
        for (int from = 0; from < turns.size(); from += TURNS) {
            run.replay(turns.subList(from, Math.min(turns.size(), from + TURNS)));
            Loop.progressed();
        }
    }

    /** Makes the first turn, whose commands stand behind the pauses. */
    private static FirstTurn firstTurn(LiveRun run, WorkflowStarted started, long last, boolean runWaits) {
        Instant now = run.feedingTime();
        Instant delayedUntil = started.delayedUntil();
        boolean delayed = delayedUntil != null && !now.isBefore(delayedUntil);
        if (!runWaits && last == 1 && !delayed && now.isBefore(started.at().plus(AT_ONCE))) {
            FirstTurnStarted atOnce = new FirstTurnStarted(last + 1, started.at());
            WorkflowStarted event = started.withId(last);
            return new FirstTurn(
                    atOnce, false, run.turn(event, () -> run.instance().feed(event)));
        }
        FirstTurnStarted later = new FirstTurnStarted(last + 1, now, runWaits);
        run.remember(later);
        WorkflowStarted event = started.withId(last + 1);
        return new FirstTurn(later, true, run.turn(event, () -> run.instance().feedFirst(event, later)));
    }

    /**
     * Returns whether the page has no event after the start but pauses and resumptions, which may come before the first
     * turn.
     */
    private static boolean isBeforeFirstTurn(List<StoredEvent> page) {
        return !page.isEmpty()
                && page.size() < PAGE
                && page.stream().skip(1).map(StoredEvent::type).allMatch(PAUSES::contains)
                && EventJson.decode(page.getFirst()) instanceof WorkflowStarted started
                && !started.firstTurnDone();
    }

    private static HistoryEvent read(LiveRun run, StoredEvent stored) {
        HistoryEvent event = EventJson.decode(stored);
        run.remember(event);
        return event;
    }
}
