package dev.durable.worker;

import dev.durable.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.Seizure;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends runs whose time is over, without their code: any process may, and whoever comes second finds nothing to do.
 *
 * @param closed told of each run that was ended here
 */
record RunTimeouts(HistoryStore store, Supplier<UUID> fences, Consumer<UUID> closed) implements BatchChore.Work {
    private static final Logger log = LoggerFactory.getLogger(RunTimeouts.class);

    @Override
    public int upTo(int most) {
        int ended = 0;
        for (RunKey run : store.expiredRuns(most)) {
            ended += seize(run) ? 1 : 0;
        }
        return ended;
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
