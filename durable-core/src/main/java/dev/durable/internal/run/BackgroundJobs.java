package dev.durable.internal.run;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowCompleted;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.commit.TransitionLane;
import dev.durable.internal.commit.TransitionLanes;
import dev.durable.internal.observe.Telemetry;
import dev.durable.internal.observe.TransitionSpan;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.store.RunKey;
import dev.durable.store.RunResult;
import dev.durable.store.StoreClock;
import dev.durable.store.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the run of a {@link BackgroundJob} in the commit that completes its activity, without running workflow code:
 * as long as no transaction has changed such a run since its start, its fence is its run id, and the commands of its
 * code are known. In any other case (a message waits, a worker has claimed the run, the activity failed) the outcome
 * goes to the run's inbox as any outcome does.
 */
public final class BackgroundJobs implements AttemptOutcome.Sink {
    private static final Logger log = LoggerFactory.getLogger(BackgroundJobs.class);
    private static final int NEXT_EVENT = BackgroundJob.SEQ + 2;

    private final TransitionLanes lane;
    private final StoreClock clock;
    private final Supplier<UUID> random;
    private final FailureCodec failures;
    private final BiConsumer<UUID, RunResult> closed;
    private final Consumer<AttemptOutcome> inbox;
    private final Telemetry telemetry;

    /**
     * @param lane the lanes that write the transitions
     * @param clock the store's clock
     * @param random makes fences
     * @param failures writes the reasons of discarded jobs as JSON
     * @param closed called for runs that are closed
     * @param inbox takes outcomes that do not close their run
     * @param telemetry gets the transitions, for metrics, logs and traces
     */
    public BackgroundJobs(
            TransitionLanes lane,
            StoreClock clock,
            Supplier<UUID> random,
            FailureCodec failures,
            BiConsumer<UUID, RunResult> closed,
            Consumer<AttemptOutcome> inbox,
            Telemetry telemetry) {
        this.telemetry = telemetry;
        this.lane = lane;
        this.clock = clock;
        this.random = random;
        this.failures = failures;
        this.closed = closed;
        this.inbox = inbox;
    }

    @Override
    public boolean offer(AttemptOutcome outcome) {
        if (outcome.local()
                || !outcome.job().route().workflowType().equals(BackgroundJob.TYPE)
                || !outcome.message().name().equals(ActivityCompleted.class.getSimpleName())) {
            return false;
        }
        Transition close = close(outcome);
        TransitionSpan span = telemetry.transition(close, BackgroundJob.TYPE, Map.of());
        var unused = lane.submit(close).whenComplete((written, error) -> {
            if (written != null) {
                span.answered(written.outcome());
            }
            written(outcome, close, written, error);
        });
        return true;
    }

    private Transition close(AttemptOutcome outcome) {
        RunKey run = outcome.key().run();
        Instant now = clock.now();
        Instant scheduled = outcome.job().deadlines().scheduledAt();
        Instant at = now.isAfter(scheduled) ? now : scheduled;
        List<StoredEvent> events = new ArrayList<>(2);
        for (StoredEvent note : EventJson.decodeNotes(outcome.message().notes())) {
            events.add(new StoredEvent(NEXT_EVENT + events.size(), note.type(), note.at(), null, note.attributes()));
        }
        Failure discarded = DiscardedJobs.why(events);
        StoredEvent ended = new StoredEvent(
                NEXT_EVENT + events.size(),
                outcome.message().name(),
                at,
                outcome.lease(),
                outcome.message().payload());
        Payload result = ((ActivityCompleted) EventJson.decode(ended)).result();
        events.add(ended);
        events.add(EventJson.encode(new WorkflowCompleted(NEXT_EVENT + events.size(), at, result)));
        return new Transition(
                run,
                new Transition.Fences(run.runId(), random.get()),
                NEXT_EVENT,
                events,
                List.of(),
                new Transition.JobChanges(List.of(), List.of(outcome.settlement()), List.of()),
                true,
                null,
                null,
                new Transition.Close(
                        WorkflowStatus.COMPLETED,
                        result.json(),
                        discarded == null ? null : failures.toJson(discarded).json(),
                        false));
    }

    private void written(
            AttemptOutcome outcome,
            Transition close,
            TransitionLane.@Nullable Written written,
            @Nullable Throwable error) {
        if (written == null) {
            log.error(
                    "{} of {} can't be closed with its result",
                    outcome.job().activity(),
                    outcome.key(),
                    error == null ? null : failures.loggable(error));
            inbox.accept(outcome);
            return;
        }
        switch (written.outcome()) {
            case APPLIED, APPLIED_MORE -> {
                outcome.settled();
                Transition.Close end = close.close();
                if (end != null) {
                    closed.accept(close.run().runId(), new RunResult(end.status(), end.result(), end.failure()));
                }
            }
            // An outcome of a lost lease goes there, too: the store answers that it is stale, and it is counted.
            case CLOSE_REFUSED, FENCE_LOST, STALE -> inbox.accept(outcome);
            case LOCKED -> throw new IllegalStateException("the lane answers when the lock is gone");
        }
    }
}
