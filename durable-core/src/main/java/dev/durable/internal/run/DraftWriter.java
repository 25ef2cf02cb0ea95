package dev.durable.internal.run;

import dev.durable.client.WorkflowStatus;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.internal.commit.Weights;
import dev.durable.internal.observe.TransitionSpan;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.call.NextAttempt;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives the drafts of one run to the lanes as starts and transitions, and posts their outcomes to its {@link RunActor}.
 * The activities of a draft begin as soon as it is durable, on the thread of the commit, before the actor reads its
 * mail.
 */
final class DraftWriter {
    /**
     * The size from which the bytes of a draft and its run are counted while it is written, and its memory is released
     * before other mail is read.
     */
    private static final int LARGE = 1 << 16;

    private final RunKey key;
    private final RunServices host;
    private final HeldRun holding;
    private final RunMailbox mailbox;

    DraftWriter(RunKey key, RunServices host, HeldRun holding, RunMailbox mailbox) {
        this.key = key;
        this.host = host;
        this.holding = holding;
        this.mailbox = mailbox;
    }

    /**
     * Starts the run.
     *
     * @param run with its first turn or without
     * @param timer the time at which this process wakes up, once the start is durable; null for none
     * @param whole whether the first turn is written with the start
     */
    void start(
            NewRun run,
            TransitionDraft draft,
            @Nullable Instant timer,
            boolean whole,
            CompletableFuture<StartOutcome> answer) {
        var unused = host.lanes().starts().offer(run).whenComplete((outcome, error) -> {
            try {
                if (whole && outcome instanceof StartOutcome.Started) {
                    durable(draft, timer);
                }
            } finally {
                mailbox.post(new RunMail.StartWritten(outcome, error, answer));
            }
        });
    }

    /**
     * Sends the transition that a draft has collected.
     *
     * @param park whether the run waits afterwards, and this process gives its claim back
     */
    void send(TransitionDraft draft, boolean park) {
        HistoryEvent.Closing closing = draft.closing();
        Transition.Close close = closing == null ? null : closeOf(closing, draft);
        draft.closesAs(close);
        Transition step = new Transition(
                key,
                new Transition.Fences(holding.fence(), host.random(), holding.buildFor(draft)),
                draft.firstEventId(),
                draft.events(),
                new Transition.Mail(
                        draft.sends().chainId(),
                        draft.consumed(),
                        close == null || !close.isRetried()
                                ? draft.sends().all()
                                : draft.sends()
                                        .allAndAgain(holding.warm().instance().signalsForNextAttempt()),
                        draft.replies(),
                        holding.detailsFor(draft),
                        draft.appends()),
                new Transition.JobChanges(draft.jobs(), draft.settled(), draft.cancelled()),
                park,
                closing == null ? holding.warm().wakeAt() : null,
                null,
                close);
        NewRun next = step.next();
        submit(step, draft, next == null ? step.wakeAt() : dueAt(next));
    }

    private Instant dueAt(NewRun next) {
        return host.store().clock().now().plus(next.firstTurn().delay());
    }

    /**
     * Gives the run back without an event: due at a time, or stalled.
     *
     * @param lookHere when this process looks for it once that is durable; null leaves it to others
     */
    void sendNothing(
            TransitionDraft nothing,
            @Nullable Instant wakeAt,
            Transition.@Nullable Stall stall,
            @Nullable Instant lookHere) {
        String build = stall == null ? null : holding.ownBuild();
        Transition.Stall ofBuild = stall == null || build == null
                ? stall
                : new Transition.Stall(stall.reason(), stall.retryIn(), holding.taskQueue());
        submit(
                RunClosings.nothing(key, holding.fence(), host.random(), holding.nextEventId(), wakeAt, ofBuild)
                        .by(build == null ? null : new Transition.Build(build, false)),
                nothing,
                lookHere);
    }

    private Transition.Close closeOf(HistoryEvent.Closing closing, TransitionDraft draft) {
        FailureCodec failures = host.code().replay().failures();
        boolean related = holding.isWarm() && holding.warm().instance().isRelated();
        if (closing instanceof WorkflowContinuedAsNew continued) {
            NewRun next = NextRuns.of(
                    continued,
                    holding.warm(),
                    host.random(),
                    host.store().clock().now(),
                    host.code().build());
            return new Transition.Close(WorkflowStatus.CONTINUED_AS_NEW, null, null, next, false, false);
        }
        Transition.Close close =
                RunClosings.of(closing, draft.isEndForced(), failures).ofRelated(related);
        NextAttempt attempt = holding.isWarm() ? holding.warm().instance().nextAttempt() : null;
        if (closing instanceof WorkflowFailed failed && attempt != null) {
            NewRun next = NextRuns.of(
                    failed,
                    attempt,
                    holding.warm(),
                    host.random(),
                    host.store().clock().now());
            return new Transition.Close(close.status(), null, close.failure(), next, false, false);
        }
        Failure discarded = close.status() == WorkflowStatus.COMPLETED && draft.isOfBackgroundJob()
                ? DiscardedJobs.why(draft.events())
                : null;
        return discarded == null
                ? close
                : new Transition.Close(
                        close.status(),
                        close.result(),
                        failures.toJson(discarded).json(),
                        null,
                        close.force(),
                        close.related());
    }

    /**
     * Sends the transition. This process wakes up at the timer's time once the transition is durable; null where there
     * is none, or where other workers may take the run.
     */
    private void submit(Transition transition, TransitionDraft draft, @Nullable Instant timer) {
        long bytes = Weights.of(transition) + holding.bytes();
        if (bytes >= LARGE) {
            host.outside().inFlight(bytes);
        }
        TransitionSpan span = host.outside().telemetry().transition(transition, holding.type(), holding.headers());
        var unused = host.lanes().transitions().submit(transition).whenComplete((written, error) -> {
            try {
                if (written != null && written.isApplied()) {
                    durable(draft, timer);
                }
                if (written != null) {
                    span.answered(written.outcome());
                }
            } finally {
                mailbox.postWritten(new RunMail.Written(written, error, bytes));
            }
        });
    }

    private void durable(TransitionDraft draft, @Nullable Instant timer) {
        draft.begin(host.code().replay().failures()::loggable);
        if (timer != null) {
            host.outside().due(timer);
        }
    }

    /** Returns whether the draft's bytes are counted, and its mail is read before that of other runs. */
    static boolean isLarge(RunMail.Written written) {
        return written.bytes() >= LARGE;
    }

    /** Ends the counting of a draft's bytes, as the actor has read whether it was written. */
    void letGo(RunMail.Written written) {
        if (isLarge(written)) {
            host.outside().inFlight(-written.bytes());
        }
    }
}
