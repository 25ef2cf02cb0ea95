package dev.durable.internal.upkeep;

import dev.durable.DurableException;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.FailureJson;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowStarted;
import dev.durable.history.WorkflowTimedOut;
import dev.durable.internal.drive.BatchChore;
import dev.durable.internal.observe.FailureLog;
import dev.durable.store.HistoryStore;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.Seizure;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A chore that closes runs whose run or execution timeout has passed, without running their code; any process may do
 * so, and the second one finds nothing to do.
 *
 * @param closed called for each run that this process has closed
 * @param failures logs each of them
 */
public record RunTimeouts(HistoryStore store, Supplier<UUID> fences, Consumer<UUID> closed, FailureLog failures)
        implements BatchChore.Work {
    private static final Failure EXPIRED = Failure.of(
            RunRecord.EXPIRED,
            "it expired: no worker had begun it by the time that its start allowed (StartOptions.expiresAt)");
    /** How exactly this process knows the time of the database. */
    private static final Duration CLOCKS = Duration.ofSeconds(1);

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
        boolean unbegun = expired(run, now);
        boolean ended = store.seize(new Seizure(
                        run.workflowId(),
                        run.runId(),
                        true,
                        fences.get(),
                        WorkflowStatus.TIMED_OUT,
                        WorkflowTimedOut.class.getSimpleName(),
                        dropped -> EventJson.attributes(new WorkflowTimedOut(0, now, dropped)),
                        unbegun ? FailureJson.encode(EXPIRED).json() : null))
                .isPresent();
        if (ended) {
            failures.failed(
                    FailureLog.Kind.RUN,
                    FailureLog.Subject.of(run),
                    unbegun ? "expired" : "timed out",
                    "workflow " + run + (unbegun ? " expired: no worker had begun it in time" : " timed out"),
                    null);
            closed.accept(run.runId());
        }
        return ended;
    }

    /** Returns whether the run's expiry has come rather than its run timeout. */
    private boolean expired(RunKey run, Instant now) {
        return store.history(run.runId(), 1, 1).stream().anyMatch(first -> {
            Instant deadline = runDeadline(first, now);
            return deadline == null || deadline.isAfter(now.plus(CLOCKS));
        });
    }

    /**
     * Returns the run's deadline; the current time where this release can't read the event, as the run has timed out
     * all the same.
     */
    private static @Nullable Instant runDeadline(StoredEvent first, Instant now) {
        try {
            return EventJson.decode(first) instanceof WorkflowStarted started ? started.runDeadline() : now;
        } catch (DurableException e) {
            return now;
        }
    }
}
