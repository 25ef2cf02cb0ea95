package dev.durable.internal.client;

import dev.durable.ConflictPolicy;
import dev.durable.RefusedInputException;
import dev.durable.ReusePolicy;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.StartOptions;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Portion;
import dev.durable.store.CancelledIdleJob;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.StartOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Forks runs. The history of a run only grows, so it is read before the transaction that copies it; what is open at the
 * point is known from it, and goes into that transaction as jobs and messages of the fork.
 */
final class Forks {
    private static final int PAGE = 2_000;

    private final Dispatch dispatch;
    private final ClientCode code;
    private final String by;

    /** @param dispatch the access for this one call */
    Forks(Dispatch dispatch, ClientCode code, @Nullable String actor) {
        this.dispatch = dispatch;
        this.code = code;
        this.by = actor == null ? code.identity() : actor;
    }

    /** Forks the run under another workflow id; returns the run id of the fork. */
    UUID fork(RunRecord from, long eventId, StartOptions options) {
        WorkflowCode.mayNot("handle.fork(…)", "fork " + from.run().shown() + " again");
        refuse(from, options);
        ForkPoint point = read(from.run(), eventId);
        point.check();
        dispatch.askForRoom(from.taskQueue(), options.id());
        NewRun fork = fork(from, eventId, point, options.id());
        while (true) {
            switch (send(fork).orElseThrow(() -> gone(from.run()))) {
                case StartOutcome.Started ignored -> {
                    return fork.run().runId();
                }
                case StartOutcome.AlreadyOpen open -> throw StartRefusals.alreadyOpen(options, open);
                case StartOutcome.Refused refused -> throw StartRefusals.refused(options, refused);
                case StartOutcome.Locked ignored -> dispatch.breathe();
            }
        }
    }

    /** Sends the fork; where the answer was lost it sends it again, as its run id tells whether it is there. */
    private Optional<StartOutcome> send(NewRun fork) {
        try {
            return dispatch.store().fork(fork);
        } catch (CommitUnknownException e) {
            return dispatch.store().fork(fork);
        }
    }

    private void refuse(RunRecord from, StartOptions options) {
        String what = "a fork of " + from.run();
        if (from.type().equals(BackgroundJob.TYPE)) {
            throw new RefusedInputException(what + ": it is a background job, whose history is one call. Use"
                    + " client.enqueueAgain(\"" + from.run().shown() + "\").");
        }
        if (options.id().equals(from.run().workflowId())) {
            throw new RefusedInputException(
                    what + " under its own workflow id: a fork is a workflow beside the one that it was"
                            + " forked from, which stays as it is. Give it another id.");
        }
        if (dispatch.transaction().isPresent()) {
            throw new RefusedInputException(what + " inside an open transaction: a fork takes no part in one."
                    + " Call it before or after the transaction, or through client.independent().");
        }
    }

    private ForkPoint read(RunKey run, long eventId) {
        ForkPoint point = new ForkPoint(run, eventId);
        long next = 1;
        boolean more = true;
        while (more) {
            List<StoredEvent> page = dispatch.store().history(run.runId(), next, PAGE);
            if (next == 1 && page.isEmpty()) {
                throw gone(run);
            }
            for (int i = 0; i < page.size() && more; i++) {
                HistoryEvent event = EventJson.decode(page.get(i));
                if (event.id() != next++) {
                    throw gone(run);
                }
                more = point.read(event);
            }
            if (more && (page.isEmpty() || Portion.isWhole(page, PAGE, StoredEvent::atMost))) {
                point.end();
                more = false;
            }
        }
        return point;
    }

    private static WorkflowNotFoundException gone(RunKey run) {
        return new WorkflowNotFoundException(
                "the history of " + run + " is not there any more, so that it can't be forked."
                        + " Usual cause: retention has removed it. A file that client.export(…) has written can be replayed, not forked.");
    }

    private NewRun fork(RunRecord from, long eventId, ForkPoint point, String workflowId) {
        Instant clock = dispatch.store().clock().now();
        Instant now = clock.isAfter(point.at()) ? clock : point.at();
        RunKey key =
                new RunKey(RunIds.create(now, workflowId, code.random().get().getLeastSignificantBits()), workflowId);
        WorkflowStarted started = point.started();
        Instant executionDeadline = later(now, started, started.executionDeadline());
        Instant runDeadline = runDeadline(now, started, executionDeadline);
        WorkflowForked forked = new WorkflowForked(
                eventId + 1, now, from.run().runId(), workflowId, key.runId(), runDeadline, executionDeadline, by);
        List<NewJob> jobs = new ArrayList<>();
        List<InboxMessage> cancelled = new ArrayList<>();
        for (ForkPoint.OpenCall call : point.activities()) {
            if (call.cancelRequested()) {
                cancelled.add(CancelledIdleJob.outcome(
                        new JobKey(key, call.scheduled().seq()), 0, null, null));
            } else {
                jobs.add(dispatch.scheduledAgain(
                        key, from.type(), started.headers(), at(now, call.scheduled()), call.idempotencyKey()));
            }
        }
        return new NewRun(
                key,
                from.type(),
                from.taskQueue(),
                code.random().get(),
                NewRun.FirstTurn.forked(
                        new NewRun.Copied(from.run(), eventId, cancelled), EventJson.encode(forked), jobs),
                new NewRun.Policies(ReusePolicy.ALLOW_DUPLICATE, ConflictPolicy.FAIL, List.of()),
                new NewRun.Deadlines(runDeadline, null),
                from.memo(),
                null,
                null);
    }

    /** Returns a deadline of the run, as far behind the fork as it was behind the time from which the run counted it. */
    private static @Nullable Instant later(Instant now, WorkflowStarted started, @Nullable Instant deadline) {
        Instant delayed = started.delayedUntil();
        return deadline == null ? null : now.plus(Duration.between(delayed == null ? started.at() : delayed, deadline));
    }

    private static @Nullable Instant runDeadline(
            Instant now, WorkflowStarted started, @Nullable Instant executionDeadline) {
        Duration timeout = started.runTimeout();
        if (timeout == null) {
            // Histories of before the timeouts were recorded have this deadline only.
            return executionDeadline == null ? later(now, started, started.runDeadline()) : executionDeadline;
        }
        Instant deadline = now.plus(timeout);
        return executionDeadline != null && executionDeadline.isBefore(deadline) ? executionDeadline : deadline;
    }

    private static ActivityScheduled at(Instant now, ActivityScheduled call) {
        return new ActivityScheduled(
                call.id(), now, call.seq(), call.activity(), call.taskQueue(), call.input(), call.options());
    }
}
