package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.UsageException;
import dev.durable.client.StartOptions;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ChainLink;
import dev.durable.history.EventJson;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.client.access.Dispatch;
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
    private final Dispatch dispatch;
    private final StartOptions.Debounce debounce;
    private final Function<Duration, Start> starts;
    /** The runs with which it has tried to continue the one that waits; the answer of a COMMIT may be lost. */
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
        this.dispatch = dispatch;
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

    Outcome replace(StartOutcome.AlreadyOpen open) {
        while (true) {
            RunRecord latest = dispatch.store()
                    .latestRun(starts.apply(Duration.ZERO).run().run().workflowId())
                    .orElse(null);
            if (latest == null || latest.status().closed() || !isOf(latest, open)) {
                return Outcome.AGAIN;
            }
            UUID waiting = latest.run().runId();
            if (tried.contains(waiting)) {
                return Outcome.REPLACED;
            }
            switch (continued(latest)) {
                case APPLIED, APPLIED_MORE -> {
                    return Outcome.REPLACED;
                }
                case FENCE_LOST -> {
                    if (isLatest(latest.run())) {
                        return Outcome.LEFT;
                    }
                }
                case LOCKED, STALE, CLOSE_REFUSED -> dispatch.breathe();
            }
        }
    }

    private static boolean isOf(RunRecord run, StartOutcome.AlreadyOpen open) {
        return run.links().chainId().equals(open.runId());
    }

    private boolean isLatest(RunKey run) {
        return dispatch.store()
                .latestRun(run.workflowId())
                .filter(latest -> latest.run().equals(run) && !latest.status().closed())
                .isPresent();
    }

    private Transition.Outcome continued(RunRecord waiting) {
        List<StoredEvent> first = dispatch.store().history(waiting.run().runId(), 1, 2);
        if (first.size() != 1) {
            return Transition.Outcome.FENCE_LOST;
        }
        UUID chain = waiting.links().chainId();
        Instant now = dispatch.store().clock().now();
        Duration rest = Duration.between(now, RunIds.time(chain).plus(debounce.max()));
        Start next = starts.apply(shorter(debounce.quiet(), rest.isNegative() ? Duration.ZERO : rest));
        tried.add(next.run().run().runId());
        Instant at = first.getFirst().at();
        try {
            return dispatch.store()
                    .commit(List.of(transition(waiting.run(), next, chain, now.isAfter(at) ? now : at)))
                    .getFirst();
        } catch (CommitUnknownException e) {
            // The next look at the latest run shows whether it happened.
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
                true);
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
