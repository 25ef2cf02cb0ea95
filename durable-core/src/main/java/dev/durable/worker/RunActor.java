package dev.durable.worker;

import dev.durable.DurableException;
import dev.durable.NonDeterminismException;
import dev.durable.StoreUnavailableException;
import dev.durable.declare.WorkflowType;
import dev.durable.history.HistoryEvent;
import dev.durable.replay.StalledException;
import dev.durable.replay.Turn;
import dev.durable.store.ClaimedRun;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.StartOutcome;
import dev.durable.store.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run in this process: its cached instance, and the one transition it may have under way.
 *
 * <pre>
 *            Claimed                        feed                 Written: applied
 *   cold ──────────────► rebuild ──► warm ─────────► under way ───────────────────► warm
 *     ▲                                ▲                 │  Written: close refused ──► feed the messages, send again
 *     │                                └─ Ended ─────────┤  Written: fence lost ─┐
 *     └──────────────────────────────────────────────────┴───────────────────────┘ outcomes go to the inbox
 * </pre>
 *
 * <p>Its state is touched by one thread at a time: {@link Turns} calls {@link #readMail}; everybody else posts. While a
 * transition is under way, what arrives waits and joins the next. A warm instance that is parked goes on without a claim:
 * the fence it wrote last is its compare-and-set; if somebody else moved it, the instance is dropped.
 *
 * <p>If the process dies anywhere here: what is under way happened as a whole or not; messages still stand in the inbox,
 * jobs under the lease of this session, and the run is claimable once {@code owned_until} has passed.
 */
final class RunActor {
    private static final Logger log = LoggerFactory.getLogger(RunActor.class);
    private static final int FORCE_CLOSE_AFTER = 3;
    private static final int MAX_MESSAGES = 1_000;
    private static final int MAX_REASON = 16_000;

    private final RunKey key;
    private final RunHost host;
    private final Turns turns;
    private final ConcurrentLinkedQueue<Mail> mailbox = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean queued = new AtomicBoolean();
    private final ArrayDeque<InboxMessage> messages = new ArrayDeque<>();
    private final ArrayDeque<AttemptOutcome> outcomes = new ArrayDeque<>();
    private final ArrayDeque<Mail.Ask> questions = new ArrayDeque<>();

    private @Nullable LiveRun live;
    private @Nullable JobBirth birth;
    /** Run by a rebuild of a history that holds nothing but WorkflowStarted: its commands are still to be written. */
    private @Nullable Turn firstTurn;

    private UUID fence = new UUID(0, 0);
    private long nextEventId = 1;
    private @Nullable Draft underWay;
    private Mail.@Nullable Claimed claim;
    private int stalls;
    private boolean owned;
    private boolean look;
    private boolean evicting;
    private boolean leaving;

    RunActor(RunKey key, RunHost host, Turns turns) {
        this.key = key;
        this.host = host;
        this.turns = turns;
    }

    private final LocalCalls.Caller caller = new LocalCalls.Caller() {
        @Override
        public void ended(AttemptOutcome outcome) {
            post(new Mail.Ended(outcome));
        }

        @Override
        public void givenBack() {
            post(new Mail.LocalGivenBack());
        }
    };

    RunKey key() {
        return key;
    }

    /** Tells the actor something; never blocks. */
    void post(Mail mail) {
        mailbox.add(mail);
        if (queued.compareAndSet(false, true)) {
            turns.ready(this);
        }
    }

    /** Rough bytes it keeps in memory. */
    int weight() {
        LiveRun current = live;
        if (current == null) {
            return 1_000;
        }
        // The cache keeps what weighs nothing: a run that waits for a body in this process is not to be lost.
        return current.locals().isEmpty() ? current.instance().weight() : 0;
    }

    /** Reads all mail and does what follows from it. */
    void readMail() {
        queued.set(false);
        for (Mail mail = mailbox.poll(); mail != null; mail = mailbox.poll()) {
            read(mail);
        }
        if (underWay == null) {
            advance();
        }
    }

    private void read(Mail mail) {
        switch (mail) {
            case Mail.Claimed claimed -> claim = claimed;
            case Mail.Start start -> start(start);
            case Mail.StartWritten written -> startWritten(written);
            case Mail.Ended ended -> outcomes.add(ended.outcome());
            case Mail.LocalGivenBack ignored -> leaving = true;
            case Mail.Written written -> written(written);
            case Mail.Ask ask -> questions.add(ask);
            case Mail.Evict ignored -> evicting = true;
        }
    }

    // ── start ────────────────────────────────────────────────────────────────────────────────────────────────────────

    private void start(Mail.Start mail) {
        NewRun run = mail.request().run();
        Draft draft = new Draft(warmUp(run.type(), mail.request().started().headers()), 1);
        NewRun written = run;
        try {
            LiveRun warm = warm();
            warm.start(draft, mail.request().started());
            written = run.withFirstTurn(draft.events(), draft.jobs(), wakeAt(warm, draft));
        } catch (StalledException e) {
            // Started without its first turn: the claim that tries again records why it stalls.
            log.warn("first turn of {} stalls: {}", key.workflowId(), e.getMessage());
            draft.discarded();
            goCold();
        }
        underWay = draft;
        fence = run.fence();
        var unused = host.lanes()
                .starts()
                .submit(written)
                .whenComplete((outcome, error) -> post(new Mail.StartWritten(outcome, error, mail.answer())));
    }

    private void startWritten(Mail.StartWritten mail) {
        Draft draft = takeUnderWay();
        if (mail.outcome() instanceof StartOutcome.Started && live != null) {
            nextEventId = draft.nextEventId();
            draft.written();
        } else {
            draft.discarded();
            goCold();
        }
        if (mail.error() != null) {
            mail.answer().completeExceptionally(mail.error());
        } else {
            mail.answer().complete(mail.outcome());
        }
    }

    /** A first turn that ends the run is closed by a transition of its own: until then it must be due. */
    private @Nullable Instant wakeAt(LiveRun run, Draft draft) {
        return run.instance().close(draft.nextEventId()) != null ? run.feedingTime() : run.wakeAt();
    }

    // ── going on ─────────────────────────────────────────────────────────────────────────────────────────────────────

    private void advance() {
        attempt(() -> {
            adoptClaim();
            if (live == null) {
                leaving = false;
                handOver(outcomes);
            } else if (leaving) {
                leave();
            } else {
                lookForMessages(List.of());
                feed(new Draft(birth(), nextEventId));
            }
        });
        rest();
    }

    /** Runs a part that runs the code: what breaks it stalls this run and no other. */
    private void attempt(Runnable part) {
        try {
            part.run();
        } catch (StoreUnavailableException e) {
            log.warn("{} waits for the database: {}", key.workflowId(), e.getMessage());
            forget();
        } catch (StalledException | NonDeterminismException e) {
            stall(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            log.error("{} can't go on", key.workflowId(), e);
            stall("unexpected: " + e);
        }
    }

    private void adoptClaim() {
        Mail.Claimed adopted = claim;
        if (adopted == null) {
            return;
        }
        claim = null;
        ClaimedRun run = adopted.claim();
        if (live != null && !(run.previousFence().equals(fence) && run.nextEventId() == nextEventId)) {
            log.debug("{} was written elsewhere; its instance here is rebuilt", key.workflowId());
            goCold();
        }
        fence = run.fence();
        nextEventId = run.nextEventId();
        stalls = run.stalls();
        owned = true;
        messages.clear();
        look = adopted.messages() == null;
        if (adopted.messages() != null) {
            messages.addAll(adopted.messages());
        }
        if (live == null) {
            rebuild(run);
        }
    }

    private void rebuild(ClaimedRun run) {
        warmUp(run.type(), Map.of());
        Rebuild rebuilt = Rebuild.from(host.store(), key.runId(), warm());
        if (rebuilt.nextEventId() != run.nextEventId()) {
            throw new DurableException("history of " + key.workflowId() + " ends before event " + rebuilt.nextEventId()
                    + ", but its run says " + run.nextEventId());
        }
        firstTurn = rebuilt.firstTurn();
        birth = birthOf(run.type(), warm().headers());
    }

    private void lookForMessages(List<UUID> known) {
        if (look) {
            look = false;
            messages.clear();
            host.store().messages(List.of(key), MAX_MESSAGES).getOrDefault(key.runId(), List.of()).stream()
                    .filter(message -> !known.contains(message.messageId()))
                    .forEach(messages::add);
        }
    }

    private void feed(Draft draft) {
        LiveRun run = warm();
        // Known to rest() and stall() from the first event on: what it holds must not be lost when feeding breaks off.
        underWay = draft;
        if (firstTurn != null) {
            run.begin(draft, firstTurn);
            firstTurn = null;
        }
        boolean all = run.feed(draft, messages, outcomes);
        HistoryEvent.Closing closing = all ? run.instance().close(draft.nextEventId()) : null;
        if (closing != null) {
            draft.close(closing);
        }
        if (draft.isEmpty() && closing == null && !owned) {
            underWay = null;
        } else {
            send(draft, all);
        }
    }

    private void send(Draft draft, boolean park) {
        HistoryEvent.Closing closing = draft.closing();
        submit(new Transition(
                key,
                fence,
                host.random(),
                draft.firstEventId(),
                draft.events(),
                draft.consumed(),
                draft.settled(),
                draft.cancelled(),
                draft.jobs(),
                park,
                closing == null ? warm().wakeAt() : null,
                null,
                closing == null ? null : closeOf(closing, draft.refusals() >= FORCE_CLOSE_AFTER)));
    }

    private Transition.Close closeOf(HistoryEvent.Closing closing, boolean force) {
        return Closings.of(closing, force, host.code().replay().failures());
    }

    private void submit(Transition transition) {
        var unused = host.lanes()
                .transitions()
                .submit(transition)
                .whenComplete((written, error) -> post(new Mail.Written(written, error)));
    }

    // ── what became of it ────────────────────────────────────────────────────────────────────────────────────────────

    private void written(Mail.Written mail) {
        Draft draft = takeUnderWay();
        if (mail.written() == null) {
            log.error("a transition of {} can't be written", key.workflowId(), mail.error());
            boolean told = draft.isEmpty();
            abandon(draft);
            if (!told) {
                stall("its transition can't be written: " + mail.error());
            }
            return;
        }
        switch (mail.written().outcome()) {
            case APPLIED -> applied(draft, mail.written().fence());
            case APPLIED_MORE -> {
                look = true;
                applied(draft, mail.written().fence());
            }
            case CLOSE_REFUSED -> closeRefused(draft);
            case FENCE_LOST -> fenceLost(draft);
            case LOCKED -> throw new IllegalStateException("the lane answers when the lock is gone");
            case LEASE_LOST -> {
                abandon(draft);
                release();
            }
        }
    }

    private void applied(Draft draft, UUID newFence) {
        fence = newFence;
        nextEventId = draft.nextEventId();
        owned = false;
        draft.written();
        HistoryEvent.Closing closing = draft.closing();
        host.outside().written(this, closing == null ? null : closeOf(closing, false));
        if (closing != null) {
            goCold();
        }
    }

    private void closeRefused(Draft draft) {
        draft.reopen();
        look = true;
        underWay = draft;
        attempt(() -> {
            lookForMessages(draft.consumed());
            feed(draft);
        });
    }

    /** A claim of our own may be all that came between: then what was fed still holds, under the claim's fence. */
    private void fenceLost(Draft draft) {
        Mail.Claimed own = claim;
        if (own != null
                && live != null
                && own.claim().previousFence().equals(fence)
                && own.claim().nextEventId() == draft.firstEventId()) {
            claim = null;
            fence = own.claim().fence();
            owned = true;
            look = true;
            underWay = draft;
            send(draft, true);
        } else {
            log.debug("{} is written by somebody else; the instance here is dropped", key.workflowId());
            owned = false;
            abandon(draft);
        }
    }

    /** Nothing of the draft will be written by us: outcomes go to the inbox, messages still are there. */
    private void abandon(Draft draft) {
        draft.discarded();
        handOver(new ArrayDeque<>(draft.outcomes()));
        handOver(outcomes);
        messages.clear();
        goCold();
    }

    /** The worker stops: the run is due at once for whoever can run its local activities. */
    private void leave() {
        leaving = false;
        handOver(outcomes);
        messages.clear();
        goCold();
        owned = true;
        release();
    }

    /** Gives a claim back that can't be used up: due at once, for whoever comes first. */
    private void release() {
        if (owned) {
            underWay = new Draft(birth(), nextEventId);
            owned = false;
            submit(Closings.nothing(
                    key, fence, host.random(), nextEventId, host.store().clock().now(), null));
        }
    }

    /** The run can't go on with this code: kept open, shown, tried again with back-off. */
    private void stall(String reason) {
        log.error("{} stalls: {}", key.workflowId(), reason);
        String why = reason.replace('\0', ' ').substring(0, Math.min(reason.length(), MAX_REASON));
        if (underWay != null) {
            abandon(takeUnderWay());
        } else {
            handOver(outcomes);
            messages.clear();
            goCold();
        }
        Duration backOff = Duration.ofSeconds(Math.min(60, 1L << Math.min(stalls, 6)));
        underWay = new Draft(birth(), nextEventId);
        owned = false;
        submit(Closings.nothing(key, fence, host.random(), nextEventId, null, new Transition.Stall(why, backOff)));
    }

    /** The database can't be asked: what this process knows of the run is dropped; a claim runs out by itself. */
    private void forget() {
        if (underWay != null) {
            abandon(takeUnderWay());
        } else {
            handOver(outcomes);
            messages.clear();
            goCold();
        }
        owned = false;
    }

    // ── rest ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    private void rest() {
        if (underWay != null) {
            return;
        }
        answerQuestions();
        if (evicting && (live == null || live.locals().isEmpty())) {
            goCold();
        }
        if (live == null && mailbox.isEmpty()) {
            host.outside().unneeded(this);
        }
    }

    private void answerQuestions() {
        for (Mail.Ask ask = questions.poll(); ask != null; ask = questions.poll()) {
            LiveRun run = live;
            if (run == null
                    || !host.store().history(key.runId(), nextEventId, 1).isEmpty()) {
                ask.answer().complete(Optional.empty());
            } else {
                answer(run, ask);
            }
        }
    }

    private static void answer(LiveRun run, Mail.Ask ask) {
        try {
            ask.answer().complete(Optional.of(run.instance().query(ask.query(), ask.arguments())));
        } catch (RuntimeException e) {
            ask.answer().completeExceptionally(e);
        }
    }

    private void handOver(ArrayDeque<AttemptOutcome> ended) {
        for (AttemptOutcome outcome = ended.poll(); outcome != null; outcome = ended.poll()) {
            if (outcome.local()) {
                outcome.settled();
                continue;
            }
            AttemptOutcome handed = outcome;
            var unused = host.lanes()
                    .jobs()
                    .submit(new JobUpdate.Settle(handed.key(), handed.lease(), handed.message()))
                    .whenComplete((answer, error) -> handed.settled());
        }
    }

    private JobBirth warmUp(String type, Map<String, String> headers) {
        WorkflowType workflow = host.workflow(type);
        live = host.newInstance(key, workflow, caller);
        birth = birthOf(type, headers);
        return birth;
    }

    private JobBirth birthOf(String type, Map<String, String> headers) {
        return new JobBirth(
                key, type, headers, host.outside().eager(), host.code().headersJson());
    }

    private void goCold() {
        LiveRun run = live;
        live = null;
        firstTurn = null;
        if (run != null) {
            run.evict();
        }
    }

    private LiveRun warm() {
        LiveRun run = live;
        if (run == null) {
            throw new IllegalStateException(key.workflowId() + " has no instance here");
        }
        return run;
    }

    private JobBirth birth() {
        JobBirth births = birth;
        return births == null ? birthOf("", Map.of()) : births;
    }

    private Draft takeUnderWay() {
        Draft draft = underWay;
        if (draft == null) {
            throw new IllegalStateException(key.workflowId() + " has nothing under way");
        }
        underWay = null;
        return draft;
    }
}
