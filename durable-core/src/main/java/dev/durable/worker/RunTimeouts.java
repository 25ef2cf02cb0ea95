package dev.durable.worker;

import dev.durable.StoreUnavailableException;
import dev.durable.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.Seizure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends runs whose time is over, without their code: any process may, and whoever comes second finds nothing to do. */
final class RunTimeouts implements Chore {
    private static final Logger log = LoggerFactory.getLogger(RunTimeouts.class);
    private static final int BATCH = 100;

    private final HistoryStore store;
    private final Supplier<UUID> fences;
    private final PollPace pace;
    private final Consumer<UUID> closed;
    private final Tally tally = new Tally();

    RunTimeouts(HistoryStore store, Supplier<UUID> fences, PollPace pace, Consumer<UUID> closed) {
        this.store = store;
        this.fences = fences;
        this.pace = pace;
        this.closed = closed;
    }

    @Override
    public String name() {
        return "run-timeouts";
    }

    @Override
    public Duration interval() {
        return pace.longest();
    }

    @Override
    public Tally tally() {
        return tally;
    }

    @Override
    public Duration runOnce() {
        try {
            List<RunKey> expired = store.expiredRuns(BATCH);
            int ended = 0;
            for (RunKey run : expired) {
                ended += seize(run) ? 1 : 0;
            }
            tally.did(ended);
            return ended == BATCH ? AGAIN : pace.afterNothing();
        } catch (StoreUnavailableException | CommitUnknownException e) {
            log.warn("run timeouts wait for the database: {}", e.getMessage());
            return pace.afterNothing();
        }
    }

    private boolean seize(RunKey run) {
        Instant now = store.clock().now();
        boolean ended = store.seize(new Seizure(
                        run.workflowId(),
                        run.runId(),
                        true,
                        fences.get(),
                        WorkflowStatus.TIMED_OUT,
                        WorkflowTimedOut.class.getSimpleName(),
                        dropped -> EventJson.attributes(new WorkflowTimedOut(0, now, dropped)),
                        null))
                .isPresent();
        if (ended) {
            log.info("run {} of {} timed out", run.runId(), run.workflowId());
            closed.accept(run.runId());
        }
        return ended;
    }
}
