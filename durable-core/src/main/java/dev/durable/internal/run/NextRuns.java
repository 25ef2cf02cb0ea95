package dev.durable.internal.run;

import dev.durable.ConflictPolicy;
import dev.durable.ReusePolicy;
import dev.durable.history.EventJson;
import dev.durable.history.RunAttempt;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.replay.call.NextAttempt;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Builds the run that continues a run as new, and the next attempt of a failed one. */
final class NextRuns {
    /**
     * How long the next run of a run waits that was fed nothing: else code that continues without having waited would
     * write runs as fast as the database takes them.
     */
    private static final Duration UNFED = Duration.ofSeconds(1);

    private NextRuns() {}

    /** Builds the run that continues another, at this time of this process; its build is null where it names none. */
    static NewRun of(WorkflowContinuedAsNew end, LiveRun run, UUID fence, Instant now, @Nullable String build) {
        WorkflowStarted before = run.instance().started();
        Duration asked = end.startDelay() == null ? Duration.ZERO : end.startDelay();
        Duration delay = run.wasFed() || asked.compareTo(UNFED) > 0 ? asked : UNFED;
        RunAttempt attempt = before.attempt();
        return next(
                new WorkflowContinuedAsNew(
                        end.id(),
                        now,
                        end.nextRunId(),
                        end.workflowType(),
                        end.taskQueue(),
                        end.input(),
                        end.runTimeout(),
                        delay),
                run,
                fence,
                attempt == null ? null : attempt.ofNextRun(),
                end.keepsBuild() ? build : null);
    }

    /** Builds the next attempt of a failed run: with the arguments of that run, after the back-off. */
    static NewRun of(WorkflowFailed failed, NextAttempt next, LiveRun run, UUID fence, Instant now) {
        WorkflowStarted before = run.instance().started();
        RunAttempt attempt = Objects.requireNonNull(before.attempt());
        return next(
                new WorkflowContinuedAsNew(
                        failed.id(),
                        now,
                        next.runId(),
                        before.workflowType(),
                        before.taskQueue(),
                        before.input(),
                        before.runTimeout(),
                        next.delay()),
                run,
                fence,
                attempt.next(failed.failure(), next.maxAttempts()),
                null);
    }

    private static NewRun next(
            WorkflowContinuedAsNew end,
            LiveRun run,
            UUID fence,
            @Nullable RunAttempt attempt,
            @Nullable String pinnedTo) {
        WorkflowStarted before = run.instance().started();
        Duration delay = Objects.requireNonNullElse(end.startDelay(), Duration.ZERO);
        // Histories of before the timeouts were recorded apart have the earlier of both.
        Instant execution = before.executionDeadline() == null && before.runTimeout() == null
                ? before.runDeadline()
                : before.executionDeadline();
        Instant deadline =
                earlier(end.runTimeout() == null ? null : end.at().plus(delay).plus(end.runTimeout()), execution);
        WorkflowStarted started = new WorkflowStarted(
                        1,
                        end.at(),
                        before.workflowId(),
                        end.nextRunId(),
                        end.workflowType(),
                        end.taskQueue(),
                        end.input(),
                        before.flags(),
                        deadline,
                        before.headers(),
                        false,
                        null,
                        before.startedBy(),
                        end.runTimeout(),
                        execution,
                        run.instance().nextLink(),
                        before.parent(),
                        attempt,
                        before.versioning())
                .withStartDelay(delay);
        return new NewRun(
                new RunKey(end.nextRunId(), before.workflowId()),
                end.workflowType(),
                end.taskQueue(),
                fence,
                NewRun.FirstTurn.later(List.of(EventJson.encode(started)), delay)
                        .pinnedTo(pinnedTo),
                new NewRun.Policies(ReusePolicy.ALLOW_DUPLICATE, ConflictPolicy.FAIL, List.of()),
                new NewRun.Deadlines(deadline, null),
                Map.of(),
                null,
                null);
    }

    private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
        return a == null || (b != null && b.isBefore(a)) ? b : a;
    }
}
