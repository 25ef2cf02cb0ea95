package dev.durable.worker;

import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowResumed;
import dev.durable.history.WorkflowStarted;
import dev.durable.replay.RecordedTurn;
import dev.durable.replay.Turn;
import dev.durable.store.HistoryStore;
import dev.durable.store.StoredEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Brings an instance to where its history ends: page by page, turn by turn.
 *
 * <p>A history that holds nothing but WorkflowStarted (and pauses) says that the first turn is still to run, or that it ran and gave
 * no command: fed live, both come to the same.
 *
 * @param nextEventId the id after the last event
 * @param firstTurn the first turn, where it was run just now and its commands are still to be written
 */
record Rebuild(long nextEventId, @Nullable Turn firstTurn) {
    static final int PAGE = 2_000;
    private static final Set<String> PAUSES =
            Set.of(WorkflowPaused.class.getSimpleName(), WorkflowResumed.class.getSimpleName());

    /** Replays the whole history of the run. */
    static Rebuild from(HistoryStore store, UUID runId, LiveRun run) {
        return from(store, runId, run, store.history(runId, 1, PAGE));
    }

    /** The same, its first page having been read. */
    static Rebuild from(HistoryStore store, UUID runId, LiveRun run, List<StoredEvent> firstPage) {
        List<StoredEvent> page = firstPage;
        if (hasNoTurnButTheFirst(page) && read(run, page.getFirst()) instanceof WorkflowStarted started) {
            page.stream().skip(1).forEach(pause -> read(run, pause));
            // Its commands stand behind the pauses.
            return new Rebuild(page.size() + 1L, run.instance().feed(started.withId(page.size())));
        }
        List<RecordedTurn> whole = new ArrayList<>();
        RecordedTurn.Reader turns = new RecordedTurn.Reader(whole::add);
        long next = 1;
        while (!page.isEmpty()) {
            page.forEach(stored -> turns.read(read(run, stored)));
            run.instance().replay(whole);
            whole.clear();
            next += page.size();
            page = page.size() < PAGE ? List.of() : store.history(runId, next, PAGE);
        }
        turns.end();
        run.instance().replay(whole);
        return new Rebuild(next, null);
    }

    /** Paused and resumed it may have been before anybody ran it. */
    private static boolean hasNoTurnButTheFirst(List<StoredEvent> page) {
        return !page.isEmpty()
                && page.size() < PAGE
                && page.stream().skip(1).map(StoredEvent::type).allMatch(PAUSES::contains);
    }

    private static HistoryEvent read(LiveRun run, StoredEvent stored) {
        HistoryEvent event = EventJson.decode(stored);
        run.remember(event);
        return event;
    }
}
