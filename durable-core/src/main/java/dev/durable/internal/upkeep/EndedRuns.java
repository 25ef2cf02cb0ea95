package dev.durable.internal.upkeep;

import dev.durable.internal.attempt.LocalActivities;
import dev.durable.internal.dispatch.HeldLeases;
import dev.durable.internal.drive.Chore;
import dev.durable.internal.drive.ChoreTally;
import dev.durable.store.ClosedRun;
import dev.durable.store.HistoryStore;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A chore that stops local activities whose runs were terminated or timed out: they have no job whose absence {@link
 * HeldLeases} would notice, as it does for other activities, and a retry policy without a limit would call them for
 * ever.
 */
public final class EndedRuns implements Chore {
    private final HistoryStore store;
    private final LocalActivities locals;
    private final Duration interval;
    private final ChoreTally tally = new ChoreTally();

    public EndedRuns(HistoryStore store, LocalActivities locals, Duration interval) {
        this.store = store;
        this.locals = locals;
        this.interval = interval;
    }

    @Override
    public Duration interval() {
        return interval;
    }

    @Override
    public ChoreTally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        Set<UUID> waiting = locals.runs();
        Set<UUID> ended = waiting.isEmpty()
                ? Set.of()
                : store.closed(waiting).stream().map(ClosedRun::runId).collect(Collectors.toSet());
        locals.ended(ended);
        tally.did(ended.size());
        return interval;
    }
}
