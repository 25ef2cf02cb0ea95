package dev.durable.internal.run;

import dev.durable.DurableException;
import dev.durable.StoreRefusedException;
import dev.durable.StoreUnavailableException;
import dev.durable.history.HistoryEvent;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.replay.match.StalledException;
import dev.durable.internal.text.Thrown;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one run in this process: feeds it the waiting events, sends its transitions one at a time, and reacts to their
 * outcomes; it owns the process's {@link HeldRun} of the run.
 *
 * <pre>
 *            Claimed                        feed                 Written: applied
 *   cold ──────────────► rebuild ──► warm ─────────► under way ───────────────────► warm
 *     ▲                                ▲                 │  Written: close refused ──► rebuild, feed messages first, send again
 *     │                                └─ Ended ─────────┤  Written: fence lost ─┐
 *     └──────────────────────────────────────────────────┴───────────────────────┘ outcomes go to the inbox
 * </pre>
 *
 * <p>Its state is touched by one thread at a time: {@link RunActorLoop} calls {@link #readMail}, and {@link #unwind}
 * when it closes; all other threads post mail. While a transition is under way, events that arrive wait and join the
 * next. A warm instance that is parked goes on without a claim: the fence it wrote last is its compare-and-set; if
 * another process moved it, the instance is dropped.
 *
 * <p>If the process dies anywhere here: the transition under way happened as a whole or not at all; messages still
 * stand in the inbox, jobs under the lease of this session, and the run is claimable once the session is dead or {@code
 * owned_until} has passed.
 */
public final class RunActor {
    private static final Logger log = LoggerFactory.getLogger(RunActor.class);
    /**
     * The number of refusals after which the end is kept, and waiting messages are fed as late. It is not reached in
     * practice, as senders are kept out by then.
     */
    private static final int MOST_REFUSALS = 10;

    private final RunKey key;
    private final RunServices host;
    private final HeldRun holding;
    private final RunWeight weight;
    private final DraftWriter writer;
    private final RunMailbox mailbox;
    private final ArrayDeque<RunMail.Ask> questions = new ArrayDeque<>();

    private @Nullable TransitionDraft underWay;
    /** The stall recorded by the transition that is under way. */
    private @Nullable StallReport stalling;
    /** The stall of the first turn that was to be written with the start. */
    private @Nullable StalledException stalledStart;

    private RunMail.@Nullable Claimed claim;
    private @Nullable String refusal;
    private boolean evicting;
    private boolean leaving;

    RunActor(RunKey key, RunServices host, RunActorLoop turns) {
        this.key = key;
        this.host = host;
        this.mailbox = new RunMailbox(this, turns);
        this.holding = new HeldRun(key, host, mailbox);
        this.weight = new RunWeight(holding, host);
        this.writer = new DraftWriter(key, host, holding, mailbox);
    }

    RunKey key() {
        return key;
    }

    /** Adds mail; never blocks. */
    public void post(RunMail mail) {
        mailbox.post(mail);
    }

    RunWeight weight() {
        return weight;
    }

    /** Returns whether it has an instance, whose coroutines have threads. Called by {@link RunActorLoop} only. */
    boolean isWarm() {
        return holding.isWarm();
    }

    /**
     * Ends its coroutines, even while a transition is under way, as the loops have ended. Called by {@link
     * RunActorLoop} only.
     */
    void unwind() {
        holding.goCold();
    }

    /** Reads all mail and acts on it. */
    void readMail() {
        mailbox.open();
        for (RunMail mail = mailbox.next(); mail != null; mail = mailbox.next()) {
            read(mail);
        }
        if (underWay == null) {
            advance();
        }
        weight.tellPinned();
    }

    private void read(RunMail mail) {
        switch (mail) {
            case RunMail.Claimed claimed -> {
                host.outside().read(claimed);
                claim = claimed;
            }
            case RunMail.Start start -> start(start);
            case RunMail.StartWritten written -> startWritten(written);
            case RunMail.Ended ended -> holding.add(ended.outcome());
            case RunMail.LocalGivenBack ignored -> leaving = true;
            case RunMail.LocalRefused refused -> refusal = refused.why();
            case RunMail.Written written -> {
                writer.letGo(written);
                written(written);
            }
            case RunMail.Ask ask -> questions.add(ask);
            case RunMail.Look ignored -> holding.lookAgain();
            case RunMail.Evict ignored -> evicting = true;
        }
    }

    // ── start ────────────────────────────────────────────────────────────────────────────────────────────────────────

    private void start(RunMail.Start mail) {
        try {
            begin(mail);
        } catch (RuntimeException | Error e) {
            underWay = null;
            holding.goCold();
            mail.answer().completeExceptionally(e);
        }
    }

    private void begin(RunMail.Start mail) {
        NewRun run = mail.request().run();
        LiveRun rising = holding.warmUp(run.type(), mail.request().started().headers());
        TransitionDraft draft = holding.newDraft();
        NewRun written = run;
        boolean begun = false;
        try {
            rising.start(draft, mail.request().started());
            String tooLong = rising.instance().isOver() ? null : holding.tooLong(draft);
            if (tooLong == null) {
                tooLong = holding.noRoomForLocals(draft);
            }
            if (tooLong != null) {
                throw new StalledException(tooLong, null);
            }
            // A first turn that ends the run is made again and written with the end, as messages may come before that;
            // one that sends messages or appends to streams is made again and written as a transition, which a start
            // is not.
            begun = !rising.instance().isOver() && draft.fitsStart();
            if (begun) {
                written = run.withFirstTurn(
                        draft.events(),
                        draft.jobs(),
                        rising.wakeAt(),
                        holding.detailsFor(draft),
                        holding.buildFor(draft));
            }
        } catch (RuntimeException | Error e) {
            // The run is started without its first turn. A stall is recorded then, as another try at once would cost
            // another thread for a loop without an end. For any other error the claim that tries again records why it
            // stalls.
            stalledStart = e instanceof StalledException stall ? stall : null;
            holding.goCold();
        }
        underWay = draft;
        holding.starts(run);
        host.outside().weigh(this);
        writer.start(written, draft, begun ? rising.wakeAt() : null, begun, mail.answer());
    }

    private void startWritten(RunMail.StartWritten mail) {
        TransitionDraft draft = takeUnderWay();
        boolean written = mail.outcome() instanceof StartOutcome.Started;
        boolean started = written && holding.isWarm();
        StalledException stalled = stalledStart;
        stalledStart = null;
        if (written && stalled != null) {
            draft.discarded();
            holding.startedWithoutFirstTurn();
            stall(StallReport.of(stalled, holding.stalls(), failures()));
        } else if (started && (holding.warm().instance().isOver() || !draft.fitsStart())) {
            holding.startedWithoutFirstTurn();
            attempt(() -> feedAgain(draft, 0));
        } else if (started) {
            holding.written(holding.fence(), draft);
            draft.written();
            host.outside().weigh(this);
        } else {
            draft.discarded();
            holding.goCold();
        }
        if (mail.error() != null) {
            mail.answer().completeExceptionally(mail.error());
        } else {
            mail.answer().complete(mail.outcome());
        }
    }

    // ── going on ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private void advance() {
        attempt(() -> {
            RunMail.Claimed adopted = claim;
            if (adopted != null) {
                claim = null;
                holding.adopt(adopted);
            }
            String refused = refusal;
            refusal = null;
            if (!holding.isWarm()) {
                leaving = false;
                holding.drop();
            } else if (leaving) {
                leave();
            } else if (refused != null) {
                stall(refused);
            } else {
                holding.lookForMessages(List.of());
                if (!holding.waitsForLocals()) {
                    feed(holding.newDraft());
                }
            }
        });
        rest();
    }

    /** Runs an action that calls workflow code; an exception stalls this run only. */
    private void attempt(Runnable part) {
        try {
            part.run();
        } catch (StoreUnavailableException e) {
            log.debug("{} waits for the database: {}", key.shown(), e.getMessage());
            forget();
            // Released by the lane, which waits for the database: else the run would wait until the claim runs out.
            release();
        } catch (DurableException e) {
            log.debug("{} can't go on", key.shown(), failures().loggable(e));
            stall(StallReport.of(e, holding.stalls(), failures()));
        } catch (RuntimeException | Error e) {
            broke(e);
        }
    }

    /**
     * Stalls this run, and no other, after an unexpected error in the engine's part of a turn (a row that no release
     * could have written, a text that exhausts the stack, no memory). Where there is not even memory for that, the
     * run's state here is dropped, and the run is claimed anew when its claim has run out. Called by {@link
     * RunActorLoop}, too, for errors outside of {@link #attempt}.
     */
    void broke(Throwable why) {
        try {
            stall(StallReport.unexpected(why, holding.stalls(), failures()));
        } catch (RuntimeException | Error again) {
            underWay = null;
            stalling = null;
            holding.goCold();
            host.outside().unneeded(this);
            if (!again.equals(why)) {
                again.addSuppressed(why);
            }
            throw again;
        } finally {
            weight.tellPinned();
            mailbox.queueUnlessEmpty();
        }
    }

    private void feed(TransitionDraft draft) {
        // The draft is known to rest() and stall() from the first event on: its outcomes must not be lost when feeding
        // breaks off.
        underWay = draft;
        LiveRun.Fed fed = holding.feedTo(draft);
        if (fed == LiveRun.Fed.ENDED_TOO_EARLY || fed == LiveRun.Fed.GIVEN_UP) {
            feedAgain(draft, draft.refusals());
            return;
        }
        boolean all = fed == LiveRun.Fed.ALL;
        HistoryEvent.Closing closing = all ? holding.warm().instance().close(draft.nextEventId()) : null;
        if (closing != null) {
            draft.close(closing);
        } else if (draft.isEndingRun() && endsTooEarly(draft)) {
            feedAgain(draft, draft.refusals() + 1);
            return;
        }
        draft.complete();
        String tooLong = closing == null ? holding.tooLong(draft) : null;
        draft.stallsNext(closing == null ? holding.noRoomForLocals(draft) : null);
        if (tooLong == null && draft.isEmpty()) {
            tooLong = draft.stallsNext();
        }
        if (tooLong != null) {
            if (draft.isEmpty() || !waitForLocals(draft)) {
                stall(tooLong);
            }
        } else if (draft.isEmpty() && closing == null && !holding.isOwned()) {
            underWay = null;
        } else {
            writer.send(draft, all);
        }
    }

    /**
     * Takes back a step that is too large, and waits for the local activities that the run has called, which begin if they
     * have not begun yet: the step is made again with the outcome of one, behind which the code may end the run.
     *
     * @return false where the run has to stall
     */
    private boolean waitForLocals(TransitionDraft draft) {
        if (!holding.isBusyHere()) {
            return false;
        }
        underWay = null;
        if (!rewind(draft)) {
            return true;
        }
        TransitionDraft locals = holding.newDraft();
        underWay = locals;
        if (!holding.beginsLocalsOnly(locals)) {
            return false;
        }
        if (holding.warm().locals().areAllWritten()) {
            underWay = null;
        } else {
            writer.send(locals, false);
        }
        return true;
    }

    /**
     * Feeds a run again that has ended while accepted messages wait: from the end of its history on, and these messages
     * before the event that ended it; and a run whose instance was lost with the judgement of an update. Each time it
     * sees all messages that wait, so that only new ones can refuse its end once more; after three times the close locks
     * senders out.
     */
    private void feedAgain(TransitionDraft draft, int refusals) {
        log.debug("{} is fed again: it ended while messages wait, or an update was given up", key.shown());
        underWay = null;
        if (rewind(draft)) {
            holding.lookForMessages(List.of());
            feed(holding.newDraft(refusals));
        }
    }

    /** Takes back a draft; returns false where another process has written meanwhile, and nothing is left to do here. */
    private boolean rewind(TransitionDraft draft) {
        boolean rewound = holding.rewind(draft);
        if (!rewound) {
            log.debug("{} is written by another process; the instance here is dropped", key.shown());
            holding.givesBack();
            holding.drop();
        }
        return rewound;
    }

    /**
     * Returns whether messages wait that a run should see before it ends. The store judges a close itself; this is for
     * an end that still waits for clean-up. After three refusals the end is kept.
     */
    private boolean endsTooEarly(TransitionDraft draft) {
        if (draft.isEndForced()) {
            return false;
        }
        holding.lookAgain();
        holding.lookForMessages(draft.consumed());
        return holding.hasMessagesOfSenders();
    }

    // ── outcomes of transitions ──────────────────────────────────────────────────────────────────────────────────────

    private void written(RunMail.Written mail) {
        TransitionDraft draft = takeUnderWay();
        StallReport stalled = stalling;
        stalling = null;
        if (stalled != null && (mail.written() == null || mail.written().isApplied())) {
            stalled.tell(key, holding.type(), host.outside());
        }
        if (mail.written() == null) {
            Throwable error = mail.error();
            log.error(
                    "a transition of {} can't be written",
                    key.shown(),
                    error == null ? null : failures().loggable(error));
            boolean told = draft.isEmpty();
            boolean mayBeAnOutcomes = error instanceof StoreRefusedException && draft.hasOutcomesOfJobsOnly();
            abandon(draft);
            if (mayBeAnOutcomes) {
                // Each outcome goes to the inbox by itself now; one that is refused there, too, becomes the failure of
                // its attempt.
                release();
            } else if (!told) {
                stall("its transition can't be written: "
                        + (error == null
                                ? "the store said nothing"
                                : Thrown.of(error).text()));
            }
            return;
        }
        switch (mail.written().outcome()) {
            case APPLIED -> applied(draft, mail.written().fence());
            case APPLIED_MORE -> {
                holding.lookAgain();
                applied(draft, mail.written().fence());
            }
            case CLOSE_REFUSED -> closeRefused(draft);
            case FENCE_LOST -> fenceLost(draft);
            case STALE -> {
                abandon(draft);
                release();
            }
            case LOCKED -> throw new IllegalStateException("a lane keeps " + mail.written() + " to itself");
        }
    }

    private void applied(TransitionDraft draft, UUID newFence) {
        holding.written(newFence, draft);
        draft.written();
        if (draft.sends().isAnyToItself()) {
            holding.lookAgain();
        }
        if (draft.hasUpdates()) {
            host.outside()
                    .answered(new RunKey(draft.sends().chainId(), key.workflowId()), draft.consumed(), draft.replies());
        }
        HistoryEvent.Closing closing = draft.closing();
        host.outside().written(this, draft.closesAs());
        if (closing != null) {
            holding.goCold();
        }
        String stalls = draft.stallsNext();
        if (stalls != null) {
            stall(stalls);
        }
    }

    private void closeRefused(TransitionDraft draft) {
        draft.reopen();
        holding.lookAgain();
        underWay = draft;
        attempt(() -> {
            holding.lookForMessages(draft.consumed());
            if (draft.isEndingRun() && draft.refusals() <= MOST_REFUSALS && holding.hasMessagesOfSenders()) {
                feedAgain(draft, draft.refusals());
            } else {
                feed(draft);
            }
        });
    }

    /**
     * Handles a lost fence. Where only a claim of this process replaced it, the fed events are still valid under the
     * claim's fence.
     */
    private void fenceLost(TransitionDraft draft) {
        RunMail.Claimed own = claim;
        if (own != null && holding.isWarm() && holding.follows(own.claim(), draft.firstEventId())) {
            claim = null;
            holding.takeFence(own.claim());
            underWay = draft;
            attempt(() -> sendUnlessTooEarly(draft));
        } else {
            log.debug("{} is written by another process; the instance here is dropped", key.shown());
            holding.givesBack();
            abandon(draft);
        }
    }

    /**
     * Sends the draft under the new claim, which came because an event waits: an end that still waits for clean-up, and
     * which the store does not judge, is judged anew.
     */
    private void sendUnlessTooEarly(TransitionDraft draft) {
        if (draft.isEndingRun() && draft.closing() == null && endsTooEarly(draft)) {
            feedAgain(draft, draft.refusals() + 1);
        } else {
            writer.send(draft, true);
        }
    }

    /**
     * Drops a draft that this process will not write: its outcomes are delivered to the inbox, where its messages still
     * are.
     */
    private void abandon(TransitionDraft draft) {
        draft.discarded();
        holding.handOver(draft.outcomes());
        holding.drop();
    }

    /** Drops the process's state of the run. */
    private void forget() {
        if (underWay != null) {
            abandon(takeUnderWay());
        } else {
            holding.drop();
        }
    }

    /**
     * Gives the run up, as the worker stops or the run has ended: an open run is due at once for another worker, which
     * can run its local activities.
     */
    private void leave() {
        leaving = false;
        holding.drop();
        writeNothing(host.store().clock().now(), null, null);
    }

    /** Gives back a claim that could not be used: the run is due at once for every worker, including this one. */
    private void release() {
        if (holding.isOwned()) {
            Instant now = host.store().clock().now();
            writeNothing(now, null, now);
        }
    }

    /**
     * Stalls a run that can't go on with this code: it stays open, is shown as stalled, and is tried again with
     * back-off.
     */
    private void stall(String reason) {
        stall(StallReport.of(reason, holding.stalls(), failures()));
    }

    private void stall(StallReport report) {
        forget();
        stalling = report;
        writeNothing(null, report.stall(), null);
    }

    private FailureCodec failures() {
        return host.code().replay().failures();
    }

    private void writeNothing(@Nullable Instant wakeAt, Transition.@Nullable Stall stall, @Nullable Instant lookHere) {
        TransitionDraft nothing = holding.newDraft();
        underWay = nothing;
        holding.givesBack();
        writer.sendNothing(nothing, wakeAt, stall, lookHere);
    }

    // ── rest ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    private void rest() {
        if (underWay != null) {
            return;
        }
        RunMail.Ask ask = questions.poll();
        if (ask != null) {
            attempt(() -> holding.answer(ask));
            if (underWay != null) {
                return;
            }
            if (!questions.isEmpty()) {
                // Other runs have their turns before the next question.
                mailbox.queue();
                return;
            }
        }
        if (evicting && !holding.isBusyHere()) {
            holding.goCold();
        }
        if (!holding.isWarm() && mailbox.isEmpty()) {
            host.outside().unneeded(this);
        }
    }

    private TransitionDraft takeUnderWay() {
        TransitionDraft draft = underWay;
        if (draft == null) {
            throw new IllegalStateException(key.shown() + " has nothing under way");
        }
        underWay = null;
        return draft;
    }
}
