package dev.durable.internal.replay.call;

import dev.durable.CancelledException;
import dev.durable.RetryPolicy;
import dev.durable.history.RunAttempt;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.retry.RetryDecision;
import dev.durable.store.RunIds;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether another attempt follows a failed run. The decision is a function of the history, so that replay takes
 * it again: of the failure, the policy in {@code WorkflowStarted}, the time of the turn, and bits that follow from the
 * run id.
 */
final class RunRetries {
    private final DurableCalls run;

    RunRetries(DurableCalls run) {
        this.run = run;
    }

    /** Returns whether the run has a policy by which another attempt may follow. */
    boolean areDeclared() {
        return run.started().attempt() != null;
    }

    /** Returns the attempt that follows this failure of the run; null where none does. */
    @Nullable
    NextAttempt after(Throwable thrown) {
        RunAttempt failed = run.started().attempt();
        if (failed == null || thrown instanceof CancelledException || RetriedBlocks.isNamed(thrown, failed.retry())) {
            return null;
        }
        Instant deadline = run.started().executionDeadline();
        Duration left = deadline == null ? null : Duration.between(run.now(), deadline);
        RetryPolicy policy = failed.policy();
        RetryDecision.Standing standing = new RetryDecision.Standing(policy, failed.number(), left);
        return switch (RetryDecision.of(thrown, standing, () -> run.draws().attemptBits())) {
            case RetryDecision.Retry again ->
                next(again.delay(), again.maxAttempts() == null ? failed.maxAttempts() : again.maxAttempts());
            // A run can't be given back: it uses its attempt.
            case RetryDecision.Defer later ->
                policy.allowsAfter(failed.number()) ? next(later.delay(), failed.maxAttempts()) : null;
            case RetryDecision.GiveUp ignored -> null;
            case RetryDecision.Exhausted ignored -> null;
            case RetryDecision.OutOfTime ignored -> null;
        };
    }

    /** Returns the next attempt, with an id that no other run has, as a run has one successor. */
    private NextAttempt next(Duration delay, @Nullable Integer maxAttempts) {
        WorkflowStarted failed = run.started();
        return new NextAttempt(
                RunIds.create(run.now(), failed.workflowId(), run.draws().attemptBits()), delay, maxAttempts);
    }

    /** Returns whether the attempt would begin before the chain has to be over, if the run closed now. */
    boolean isInTime(NextAttempt next) {
        Instant deadline = run.started().executionDeadline();
        return deadline == null || run.now().plus(next.delay()).isBefore(deadline);
    }
}
