package dev.durable.internal.client;

import dev.durable.ConflictPolicy;
import dev.durable.DurableException;
import dev.durable.ParentClosePolicy;
import dev.durable.RefusedInputException;
import dev.durable.ReusePolicy;
import dev.durable.WorkflowNotFoundException;
import dev.durable.client.ForkOptions;
import dev.durable.client.StartOptions;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ChainLink;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.ParentRun;
import dev.durable.history.StoredEvent;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.history.WorkflowTerminated;
import dev.durable.internal.client.access.ClientCode;
import dev.durable.internal.client.access.Dispatch;
import dev.durable.internal.client.access.WorkflowCode;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Portion;
import dev.durable.store.CallbackState;
import dev.durable.store.CancelledIdleJob;
import dev.durable.store.CommitUnknownException;
import dev.durable.store.JobKey;
import dev.durable.store.NewJob;
import dev.durable.store.NewRun;
import dev.durable.store.OutgoingMessage;
import dev.durable.store.RunIds;
import dev.durable.store.RunKey;
import dev.durable.store.RunRecord;
import dev.durable.store.RunReset;
import dev.durable.store.StartOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Forks runs. The history of a run only grows, so it is read before the transaction that copies it; what is open at the
 * point is known from it, and goes into that transaction as jobs and messages of the fork.
 */
final class Forks {
    private static final int PAGE = 2_000;
    /** How often the history of a run is read that goes on meanwhile. */
    private static final int ATTEMPTS = 10;

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
        refuse(from);
        if (options.id().equals(from.run().workflowId())) {
            throw new RefusedInputException(
                    "a fork of " + from.run()
                            + " under its own workflow id: a fork is a workflow beside the one that it was"
                            + " forked from, which stays as it is. Give it another id; fork(eventId) takes the place of the run.");
        }
        ForkPoint point = read(from.run(), eventId, false);
        point.check(false, false);
        dispatch.askForRoom(from.taskQueue(), options.id());
        NewRun fork = fork(from, point, options.id(), null, List.of(), false, null);
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

    private void refuse(RunRecord from) {
        String what = "a fork of " + from.run();
        if (from.type().equals(BackgroundJob.TYPE)) {
            throw new RefusedInputException(what + ": it is a background job, whose history is one call. Use"
                    + " client.enqueueAgain(\"" + from.run().shown() + "\").");
        }
        if (dispatch.transaction().isPresent()) {
            throw new RefusedInputException(what + " inside an open transaction: a fork takes no part in one."
                    + " Call it before or after the transaction, or through client.independent().");
        }
    }

    // ── in the place of the run ──────────────────────────────────────────────────────────────────────────────────────

    /**
     * Puts a fork in the place of the run, which is the newest of its workflow id; returns the run id of the fork. A run
     * that has gone on since its history was read is read again.
     *
     * @param signal the signal of the options as a message; null without
     */
    UUID reset(RunRecord from, long eventId, ForkOptions options, @Nullable InboxMessage signal) {
        WorkflowCode.mayNot("handle.fork(…)", "fork " + from.run().shown() + " again");
        refuse(from);
        refuseUnlessNewest(from.run());
        ForkPoint point = read(from.run(), eventId, true);
        return replace(from, point, options.reason(), new Given(options.messagesAgain(), false, signal));
    }

    /**
     * Returns the point at which a failed run is retried: the last end of a turn at the event or in front of it.
     *
     * @throws RefusedInputException if the run can't be forked there
     */
    ForkPoint retryPoint(RunRecord from, long eventId) {
        refuse(from);
        refuseUnlessNewest(from.run());
        ForkPoint point = read(from.run(), eventId, true);
        if (point.nearest() == 0) {
            throw new RefusedInputException(
                    "a retry of " + from.run() + " from its failure: it failed in its first turn, so"
                            + " that nothing of it is to be kept. Start it again.");
        }
        if (point.nearest() != eventId) {
            point = read(from.run(), point.nearest(), true);
        }
        point.check(true, true);
        return point;
    }

    /**
     * Retries a failed run in its place, as {@link #reset} does. Signals and updates behind the point are given again, and
     * what completed behind it of what is open there is kept, so that it is not called again.
     *
     * @param signal the signal of the options as a message; null without
     */
    UUID retry(RunRecord from, ForkPoint point, ForkOptions options, @Nullable InboxMessage signal) {
        return replace(from, point, options.reason(), new Given(true, true, signal));
    }

    /**
     * What a fork in the place of a run is given.
     *
     * @param messages whether it is given all signals and updates behind the point again; false is the updates whose
     *     callers wait
     * @param outcomes whether it is given the outcomes that came behind the point to what is open there
     * @param signal a signal; null without
     */
    private record Given(
            boolean messages, boolean outcomes, @Nullable InboxMessage signal) {}

    /** @param firstRead the point as the history was read for the first time */
    private UUID replace(RunRecord from, ForkPoint firstRead, @Nullable String why, Given given) {
        ForkPoint point = firstRead;
        String reason = why == null ? null : code.reason("fork", why);
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            point.check(true, given.outcomes());
            RunReset reset = reset(from, point, reason, given);
            switch (send(reset)) {
                case DONE -> {
                    dispatch.seized(from.run());
                    return reset.fork().run().runId();
                }
                case CHANGED -> {
                    dispatch.breathe();
                    refuseUnlessNewest(from.run());
                    point = read(from.run(), point.eventId(), true);
                }
                case GONE -> throw gone(from.run());
            }
        }
        throw new DurableException(
                "a fork of " + from.run() + " in its place: the run has gone on each time that its history"
                        + " was read, " + ATTEMPTS
                        + " times. Usual cause: it makes a step every few milliseconds. Pause it first:"
                        + " handle.pause(); the fork is paused, too, until handle.resume().");
    }

    private RunReset.Outcome send(RunReset reset) {
        try {
            return dispatch.store().reset(reset);
        } catch (CommitUnknownException e) {
            return dispatch.store().reset(reset);
        }
    }

    private void refuseUnlessNewest(RunKey run) {
        RunKey newest =
                dispatch.store().latestRun(run.workflowId()).map(RunRecord::run).orElseThrow(() -> gone(run));
        if (!newest.equals(run)) {
            throw new RefusedInputException("a fork of " + run + " in its place: " + newest.runId()
                    + " is the newest run of the workflow id, and a fork of an older one would be a second future of it."
                    + " Fork the newest one, or fork this one under another workflow id: fork(eventId, otherId).");
        }
    }

    private RunReset reset(RunRecord from, ForkPoint point, @Nullable String reason, Given given) {
        UUID chain = from.links().chainId();
        List<OutgoingMessage> orders = point.behindPoint().terminations(chain);
        ChainLink link = point.behindPoint().link(chain, from.run().runId(), orders.size());
        List<InboxMessage> messages = new ArrayList<>(point.behindPoint().again(given.messages()));
        if (given.signal() != null) {
            messages.add(given.signal());
        }
        NewRun fork = fork(from, point, from.run().workflowId(), link, messages, given.outcomes(), reason);
        String why = "run " + fork.run().runId() + ", a fork, takes its place" + (reason == null ? "" : ": " + reason);
        return new RunReset(
                fork,
                chain,
                point.last() + 1,
                new RunReset.Closed(
                        EventJson.attributes(new WorkflowTerminated(1, Instant.EPOCH, why, by, 0)),
                        code.failures()
                                .toJson(Failure.of("dev.durable.Terminated", why))
                                .json()),
                point.children().lookedUp(point.behindPoint().children()),
                orders);
    }

    /** Returns the columns that name the parent, with the policy as the history of the parent has it. */
    private NewRun.@Nullable Parent parent(@Nullable ParentRun parent) {
        return parent == null
                ? null
                : new NewRun.Parent(
                        parent.workflowId(), parent.chain(), parent.number(), policy(parent), parent.rootChain());
    }

    /** Returns the policy in the history of the parent; ABANDON where that is gone, as nothing ends the child any more. */
    private ParentClosePolicy policy(ParentRun parent) {
        HistoryChildren children = new HistoryChildren();
        try {
            dispatch.store()
                    .latestRun(parent.workflowId())
                    .filter(run -> run.links().chainId().equals(parent.chain()))
                    .ifPresent(run -> events(run.run(), event -> {
                        children.read(event);
                        return children.known(parent.number()) == null;
                    }));
        } catch (WorkflowNotFoundException e) {
            return ParentClosePolicy.ABANDON;
        }
        HistoryChildren.Child known = children.known(parent.number());
        return known == null ? ParentClosePolicy.ABANDON : known.policy();
    }

    // ── histories ────────────────────────────────────────────────────────────────────────────────────────────────────

    private ForkPoint read(RunKey run, long eventId, boolean whole) {
        ForkPoint point = new ForkPoint(run, eventId);
        if (events(run, event -> point.read(event) || whole)) {
            point.end();
        }
        return point;
    }

    /** Reads the events as long as more are needed; returns whether the history has ended. */
    boolean events(RunKey run, Predicate<HistoryEvent> needsMore) {
        long next = 1;
        while (true) {
            List<StoredEvent> page = dispatch.store().history(run.runId(), next, PAGE);
            if (next == 1 && page.isEmpty()) {
                throw gone(run);
            }
            for (StoredEvent stored : page) {
                HistoryEvent event = EventJson.decode(stored);
                if (event.id() != next++) {
                    throw gone(run);
                }
                if (!needsMore.test(event)) {
                    return false;
                }
            }
            if (page.isEmpty() || Portion.isWhole(page, PAGE, StoredEvent::atMost)) {
                return true;
            }
        }
    }

    private static WorkflowNotFoundException gone(RunKey run) {
        return new WorkflowNotFoundException(
                "the history of " + run + " is not there any more, so that it can't be forked."
                        + " Usual cause: retention has removed it. A file that client.export(…) has written can be replayed, not forked.");
    }

    /**
     * Returns the start of the fork.
     *
     * @param link where it takes the place of the run: its place in the chain; null for a fork under another workflow id
     * @param messages the messages that it is given
     * @param keepsOutcomes whether it is given the outcomes that came behind the point to what is open there
     */
    private NewRun fork(
            RunRecord from,
            ForkPoint point,
            String workflowId,
            @Nullable ChainLink link,
            List<InboxMessage> messages,
            boolean keepsOutcomes,
            @Nullable String reason) {
        long eventId = point.eventId();
        Instant clock = dispatch.store().clock().now();
        Instant now = clock.isAfter(point.at()) ? clock : point.at();
        RunKey key =
                new RunKey(RunIds.create(now, workflowId, code.random().get().getLeastSignificantBits()), workflowId);
        WorkflowStarted started = point.started();
        Instant executionDeadline = later(now, started, started.executionDeadline());
        Instant runDeadline = runDeadline(now, started, executionDeadline);
        WorkflowForked forked = new WorkflowForked(
                eventId + 1,
                now,
                from.run().runId(),
                workflowId,
                key.runId(),
                runDeadline,
                executionDeadline,
                by,
                link,
                reason);
        List<NewJob> jobs = new ArrayList<>();
        List<InboxMessage> waiting = new ArrayList<>(messages);
        for (ForkPoint.OpenCall call : point.activities()) {
            JobKey job = new JobKey(key, call.scheduled().seq());
            ActivityCompleted completed = keepsOutcomes ? point.behindPoint().completed(job.seq()) : null;
            if (completed != null) {
                waiting.add(outcome(CancelledIdleJob.messageId(job), completed));
            } else if (call.cancelRequested()) {
                waiting.add(CancelledIdleJob.outcome(job, 0, null, null));
            } else {
                jobs.add(dispatch.scheduledAgain(
                        key, from.type(), started.headers(), at(now, call.scheduled()), call.idempotencyKey()));
            }
        }
        if (keepsOutcomes) {
            point.callbackValues().map(CallbackState::message).forEach(waiting::add);
        }
        return new NewRun(
                key,
                from.type(),
                from.taskQueue(),
                code.random().get(),
                NewRun.FirstTurn.forked(
                        new NewRun.Copied(from.run(), eventId, waiting, by, reason), EventJson.encode(forked), jobs),
                new NewRun.Policies(ReusePolicy.ALLOW_DUPLICATE, ConflictPolicy.FAIL, List.of()),
                new NewRun.Deadlines(runDeadline, null),
                null,
                new NewRun.Listed(from.memo(), null, link == null ? null : parent(started.parent())));
    }

    /** Returns the message that brings the fork an outcome that the run which it replaces has had. */
    private static InboxMessage outcome(UUID messageId, ActivityCompleted event) {
        return EventJson.outcome(
                messageId,
                new ActivityCompleted(
                        0,
                        Instant.EPOCH,
                        event.seq(),
                        event.attempt(),
                        messageId,
                        event.result(),
                        event.startedAt(),
                        event.worker()),
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
