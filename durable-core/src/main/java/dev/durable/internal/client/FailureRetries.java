package dev.durable.internal.client;

import dev.durable.RefusedInputException;
import dev.durable.client.ForkOptions;
import dev.durable.history.InboxMessage;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.text.Bounds;
import dev.durable.store.RunRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Retries failed runs from their failure. The failed children that a run waits for at the point are retried before it, as
 * it would be told of the same failures again otherwise. All runs of the tree are looked at before the first one is
 * retried. A process that dies in between leaves children that go on, and the next call finds them so.
 */
final class FailureRetries {
    /** So many generations of children that have failed by their children are retried. */
    private static final int GENERATIONS = 50;

    private final Dispatch dispatch;
    private final Forks forks;

    /** A run that is to be retried, and the point. */
    private record Retry(RunRecord run, ForkPoint point) {}

    /** @param dispatch the access for this one call */
    FailureRetries(Dispatch dispatch, Forks forks) {
        this.dispatch = dispatch;
        this.forks = forks;
    }

    /**
     * Retries the run, which is the newest of its workflow id; returns the run id of the fork in its place.
     *
     * @param signal the signal of the options as a message, which is for this run only; null without
     */
    UUID retry(RunRecord run, ForkOptions options, @Nullable InboxMessage signal) {
        WorkflowCode.mayNot("handle.retryFromFailure()", "retry " + run.run().shown() + " again");
        List<Retry> retries = new ArrayList<>();
        plan(run, options, GENERATIONS, retries);
        Retry last = retries.removeLast();
        retries.forEach(child -> forks.retry(child.run, child.point, options, null));
        return forks.retry(last.run, last.point, options, signal);
    }

    /** Adds the run behind its children. */
    private void plan(RunRecord run, ForkOptions options, int generations, List<Retry> retries) {
        FailurePoint failure = new FailurePoint(run.run());
        forks.events(run.run(), event -> {
            failure.read(event);
            return true;
        });
        ForkPoint point = forks.retryPoint(run, failure.eventId(options.isEvenIfUndone()));
        for (HistoryChildren.Child child : point.children().open()) {
            planChild(run, child, options, generations, retries);
        }
        retries.add(new Retry(run, point));
    }

    private void planChild(
            RunRecord parent, HistoryChildren.Child child, ForkOptions options, int generations, List<Retry> retries) {
        RunRecord newest = dispatch.store()
                .latestRun(child.workflowId())
                .filter(run -> run.links().chainId().equals(child.chain()))
                .orElse(null);
        if (newest == null) {
            return;
        }
        String what =
                "a retry of " + parent.run() + " from its failure: its child " + Bounds.quoted(child.workflowId());
        switch (newest.status()) {
            case FAILED, TIMED_OUT -> {
                if (generations == 0) {
                    throw new RefusedInputException(what + " has failed, as have " + GENERATIONS
                            + " generations above it. Retry that child first: client.handle("
                            + Bounds.quoted(child.workflowId()) + ").retryFromFailure().");
                }
                plan(newest, options, generations - 1, retries);
            }
            case TERMINATED -> throw ended(what + " was terminated");
            case CANCELLED -> throw ended(what + " was cancelled");
            case RUNNING, COMPLETED, CONTINUED_AS_NEW -> {}
        }
    }

    private static RefusedInputException ended(String what) {
        return new RefusedInputException(
                what + ", of which the fork would be told again. Fork the child behind an event of its"
                        + " own first, or the parent in front of the start of the child: handle.fork(eventId).");
    }
}
