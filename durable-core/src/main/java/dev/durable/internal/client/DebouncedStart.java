package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.StoreUnavailableException;
import dev.durable.UsageException;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ChainLink;
import dev.durable.history.EventJson;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.text.Bounds;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * A start that takes the place of an earlier one whose run has not begun: that run continues as new, with the arguments of
 * this start and the rest of the wait. The fence of a run that waits so is its run id until a worker claims it, and its
 * history has one event; a transition that rests on both is refused where anything has come between, a claim included.
 */
final class DebouncedStart {
    /** The most doublings of the time between two tries: with the last, it is a third of a second at most. */
    private static final int MOST_DOUBLINGS = 6;

    private final StartOptions.Debounce debounce;
    private final Function<Duration, Start> starts;
    /** The runs with which it may have continued the one that waited, as the answers of their COMMITs were lost. */
    private final Set<UUID> tried = new HashSet<>();

    /** A run and its first event. */
    record Start(NewRun run, WorkflowStarted started) {}

    /** The result of a try. */
    enum Outcome {
        /** The run that waits has the arguments of this start. */
        REPLACED,
        /** The open run was left as it is: it has begun, or waits for something else. */
        LEFT,
        /** The start is to be tried again. */
        AGAIN
    }

    /** @param starts makes a run that begins after this delay */
    DebouncedStart(Dispatch dispatch, StartOptions options, Function<Duration, Start> starts) {
        refuseOthers(options);
        if (dispatch.transaction().isPresent()) {
            throw new UsageException(
                    "start of " + options.id() + ": debounce(…) takes part in no transaction of its caller:"
                            + " until the commit no other start could take its place. Call it behind the commit, or by"
                            + " client.independent().");
        }
        this.debounce = Objects.requireNonNull(options.debounce());
        this.starts = starts;
    }

    private static void refuseOthers(StartOptions options) {
        if (!options.startDelay().isZero() || options.expiresAt() != null) {
            throw new RefusedInputException("start of " + options.id() + ": debounce(…) was given together with "
                    + (options.expiresAt() == null ? "startDelay" : "expiresAt")
                    + "; it decides by itself when the run begins. Leave one of the two out.");
        }
    }

    /** Refuses calls whose run begins at once. */
    static void refuse(StartOptions options, String call) {
        if (options.debounce() != null) {
            throw new RefusedInputException("start of " + options.id()
                    + ": debounce(…) is for client.start(…), not for client."
                    + call + "(…), which " + (call.equals("enqueue") ? "starts a background job" : "does not wait")
                    + ". Leave it out; a workflow of one line can run the activity of a job.");
        }
    }

    /** How long the first start waits. */
    Duration delay() {
        return shorter(debounce.quiet(), debounce.max());
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** @param call the access of this call, whose deadline ends the tries */
    Outcome replace(Dispatch call, StartOutcome.AlreadyOpen open) {
        UUID refused = null;
        for (int round = 0; ; round++) {
            Start next = starts.apply(Duration.ZERO);
            RunRecord latest =
                    call.store().latestRun(next.run().run().workflowId()).orElse(null);
            // Read later than the latest run, which may be one behind the run of this start, or that run, closed.
            if (tried.stream().anyMatch(run -> call.store().run(run).isPresent())) {
                return Outcome.REPLACED;
            }
            if (latest == null || latest.status().closed() || !isOf(latest, open)) {
                return Outcome.AGAIN;
            }
            if (latest.run().runId().equals(refused)) {
                return Outcome.LEFT;
            }
            switch (continued(call, latest)) {
                case APPLIED, APPLIED_MORE -> {
                    return Outcome.REPLACED;
                }
                case CLOSE_REFUSED -> {
                    return Outcome.LEFT; // a request to cancel waits, which is not for this start
                }
                case FENCE_LOST -> refused = latest.run().runId();
                case LOCKED, STALE -> {}
            }
            breathe(call, next.run().run(), round);
        }
    }

    private static boolean isOf(RunRecord run, StartOutcome.AlreadyOpen open) {
        return run.links().chainId().equals(open.runId());
    }

    /** Waits for a time that is longer and more spread the more often others have won, as they try again, too. */
    private static void breathe(Dispatch call, RunKey random, int round) {
        if (call.deadline().left().isZero()) {
            throw new StoreUnavailableException("start of " + Bounds.shown(random.workflowId())
                    + ": for " + call.deadline().whole().toSeconds()
                    + " s (callTimeout) it could not take the place of the start that waits. Usually a transaction keeps the"
                    + " row of the run locked, or very many starts of this workflow id come at once; what was sent last may"
                    + " still happen. Doing it again is safe.");
        }
        long breaths = 1 + (random.runId().getLeastSignificantBits() & ((1L << Math.min(round, MOST_DOUBLINGS)) - 1));
        for (long i = 0; i < breaths; i++) {
            call.breathe();
        }
    }

    private Transition.Outcome continued(Dispatch call, RunRecord waiting) {
        List<StoredEvent> first = call.store().history(waiting.run().runId(), 1, 2);
        if (first.size() != 1) {
            return Transition.Outcome.FENCE_LOST;
        }
        UUID chain = waiting.links().chainId();
        Instant now = call.store().clock().now();
        Duration rest = Duration.between(now, RunIds.time(chain).plus(debounce.max()));
        Start next = starts.apply(shorter(debounce.quiet(), rest.isNegative() ? Duration.ZERO : rest));
        Instant at = first.getFirst().at();
        try {
            return call.store()
                    .commit(List.of(transition(waiting.run(), next, chain, now.isAfter(at) ? now : at)))
                    .getFirst();
        } catch (CommitUnknownException e) {
            // The row of the next run shows whether it happened.
            tried.add(next.run().run().runId());
            return Transition.Outcome.LOCKED;
        }
    }

    private static Transition transition(RunKey waiting, Start next, UUID chain, Instant at) {
        NewRun run = next.run();
        WorkflowStarted started = next.started().withChain(new ChainLink(chain, waiting.runId(), 0, 0, List.of()));
        WorkflowContinuedAsNew end = new WorkflowContinuedAsNew(
                2,
                at,
                run.run().runId(),
                run.type(),
                run.taskQueue(),
                started.input(),
                started.runTimeout(),
                started.startDelay(),
                true,
                false);
        return new Transition(
                waiting,
                new Transition.Fences(waiting.runId(), run.run().runId()),
                2,
                List.of(EventJson.encode(end)),
                List.of(),
                Transition.JobChanges.NONE,
                true,
                null,
                null,
                new Transition.Close(
                        WorkflowStatus.CONTINUED_AS_NEW,
                        null,
                        null,
                        run.withStarted(EventJson.encode(started)),
                        false,
                        false));
    }
}
