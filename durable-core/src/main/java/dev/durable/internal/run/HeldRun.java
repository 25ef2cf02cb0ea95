package dev.durable.internal.run;

import dev.durable.DurableException;
import dev.durable.StoreRefusedException;
import dev.durable.Versioning;
import dev.durable.history.Failure;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.StoredEvent;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.commit.Weights;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.observe.ReplaySpan;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.internal.text.Portion;
import dev.durable.store.ClaimedRun;
import dev.durable.store.JobUpdate;
import dev.durable.store.NewRun;
import dev.durable.store.RunKey;
import dev.durable.store.Transition;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of one run in the memory of this process: its instance, the fence under which it may write, and the
 * messages and outcomes that wait to be fed. All of it can be dropped at any time and rebuilt from the store: messages
 * are still in the inbox, and outcomes are put there.
 */
final class HeldRun {
    private static final Logger log = LoggerFactory.getLogger(HeldRun.class);
    private static final int COLD_BYTES = 1_000;
    private static final int MAX_MESSAGES = 1_000;
    private static final int MOST_MESSAGES = 100_000_000;

    private final RunKey key;
    private final RunServices host;
    private final LocalCalls.Caller caller;
    private final ArrayDeque<InboxMessage> messages = new ArrayDeque<>();
    private final ArrayDeque<AttemptOutcome> outcomes = new ArrayDeque<>();

    private @Nullable LiveRun live;
    private @Nullable JobBirth birth;
    /**
     * The first turn that a rebuild has made, where the history holds only WorkflowStarted: its commands are still to
     * be written.
     */
    private HistoryReplay.@Nullable FirstTurn firstTurn;

    private UUID fence = new UUID(0, 0);
    private long nextEventId = 1;
    private int stalls;
    /** The build that the run's row has, whose code has made its last turn; null where it has none. */
    private @Nullable String build;
    /** The line of {@code Durable.details} that the run's row has for certain; null where that is not known. */
    private @Nullable String details;
    /** True once the log has warned of the length of the written history. */
    private boolean isLong;

    private boolean owned;
    private boolean look;
    /** True from a query that was given up to the next step of the run. */
    private boolean leavesQueries;

    private String type = "";
    private String taskQueue = "";
    private FeedingOrder order = FeedingOrder.BY_TIME;
    /**
     * The messages of updates that were rejected by an instance which is dropped, mostly as their judgement did not
     * return in time, up to the transition that rejects them.
     */
    private final Map<UUID, Failure> givenUp = new HashMap<>(0);
    /** True where a first turn that is made again lets updates go before {@code run}, although no other message waits. */
    private boolean updatesFirst;

    HeldRun(RunKey key, RunServices host, LocalCalls.Caller caller) {
        this.key = key;
        this.host = host;
        this.caller = caller;
    }

    // ── the instance ─────────────────────────────────────────────────────────────────────────────────────────────────

    boolean isWarm() {
        return live != null;
    }

    LiveRun warm() {
        LiveRun run = live;
        if (run == null) {
            throw new IllegalStateException(key.workflowId() + " has no instance here");
        }
        return run;
    }

    /** Returns the headers given at the start; empty where there is no instance. */
    Map<String, String> headers() {
        LiveRun run = live;
        return run == null ? Map.of() : run.headers();
    }

    /** Creates an instance that has had no event yet. */
    LiveRun warmUp(String name, Map<String, String> headers) {
        WorkflowType workflow = host.workflow(name);
        return warmUp(name, headers, host.newInstance(key, workflow, caller));
    }

    private LiveRun warmUp(String name, Map<String, String> headers, LiveRun run) {
        type = name;
        live = run;
        birth = birthOf(name, headers, null);
        return run;
    }

    /** Returns whether the run waits for local activities of this process. */
    boolean isBusyHere() {
        return live != null && !live.locals().isEmpty();
    }

    void goCold() {
        LiveRun run = live;
        live = null;
        firstTurn = null;
        details = null;
        if (run != null) {
            run.evict();
        }
    }

    /** Drops the instance and hands over the waiting outcomes. */
    void drop() {
        handOver(outcomes);
        outcomes.clear();
        messages.clear();
        goCold();
    }

    /**
     * Returns the rough bytes for the cache; 0 for a run that waits for a local activity, which must stay in memory.
     */
    int weight() {
        return isBusyHere() ? 0 : bytes();
    }

    /** Returns the rough bytes of the run, with or without such a wait. */
    int bytes() {
        long bytes = COLD_BYTES + (live == null ? 0 : live.weight());
        for (InboxMessage message : messages) {
            bytes += Weights.of(message);
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    // ── the fence ────────────────────────────────────────────────────────────────────────────────────────────────────

    UUID fence() {
        return fence;
    }

    long nextEventId() {
        return nextEventId;
    }

    /** Returns how often in a row the run has stalled. */
    int stalls() {
        return stalls;
    }

    /** Returns whether the next transition has to give a claim of this process back. */
    boolean isOwned() {
        return owned;
    }

    void givesBack() {
        owned = false;
    }

    /**
     * Returns the line that says what the run is doing, for the transition of the draft; null where its row has it. A
     * new instance does not know what its row has, as other code may have written that, so it writes the line once.
     */
    @Nullable
    String detailsFor(TransitionDraft draft) {
        draft.details(warm().instance().details());
        return Objects.equals(draft.details(), details) ? null : draft.details();
    }

    /** Returns why the draft, which goes on with the run, can't be written; null where it can. */
    @Nullable
    String tooLong(TransitionDraft draft) {
        return draft.size() == 0 ? null : host.code().historyLimit().refusal(key, draft, warm().instance());
    }

    /** Returns why the local activities that the draft calls must not begin; null where they may, or there are none. */
    @Nullable
    String noRoomForLocals(TransitionDraft draft) {
        RunLocals locals = warm().locals();
        return locals.areAllWritten()
                ? null
                : host.code().historyLimit().refusalOfLocals(key, draft, warm().instance(), locals.open());
    }

    /**
     * Begins the local activities that the run waits for, and has it wait until one of them has ended, as a step without
     * such an outcome was too large.
     *
     * @param draft a new one, which gets nothing else
     * @return false where no local activity may begin or runs, or where they are not all that the draft would need
     */
    boolean beginsLocalsOnly(TransitionDraft draft) {
        if (firstTurn != null || hasLocalOutcome()) {
            return false;
        }
        warm().hearOfLocals(draft);
        if (!isBusyHere() || draft.size() > 0 || noRoomForLocals(draft) != null) {
            return false;
        }
        warm().locals().await();
        return true;
    }

    /** Returns whether nothing is to be fed before a local activity has ended; a request to cancel ends that wait. */
    boolean waitsForLocals() {
        return warm().locals().areAwaited()
                && !hasLocalOutcome()
                && messages.stream().noneMatch(message -> message.kind() == MessageKind.CANCEL);
    }

    private boolean hasLocalOutcome() {
        return outcomes.stream().anyMatch(AttemptOutcome::local);
    }

    String taskQueue() {
        return taskQueue;
    }

    /** Returns the name of this process's build; null where it names none, or the run has no code of users. */
    @Nullable
    String ownBuild() {
        return type.equals(BackgroundJob.TYPE) ? null : host.code().build();
    }

    /** Returns this process's build, where a draft has turns and the run's row has another build; else null. */
    Transition.@Nullable Build buildFor(TransitionDraft draft) {
        String own = ownBuild();
        return draft.hasEvents() && !Objects.equals(own, build)
                ? new Transition.Build(own, own != null && versioning() == Versioning.PINNED)
                : null;
    }

    /** Returns which builds may go on with the run, as its start says, else its type. */
    private Versioning versioning() {
        Versioning said = warm().instance().started().versioning();
        return said == null ? host.workflow(type).versioning() : said;
    }

    void starts(NewRun run) {
        fence = run.fence();
        taskQueue = run.taskQueue();
        // Where the first turn is not written, no build is; where it is, it is this one.
        build = null;
    }

    /** Notes that only the start was written, so that the first turn is still to be made and written. */
    void startedWithoutFirstTurn() {
        nextEventId = 2;
    }

    void written(UUID newFence, TransitionDraft draft) {
        long next = draft.nextEventId();
        details = draft.details();
        boolean wasLong = isLong;
        isLong = live != null && HistoryLimit.isLong(next - 1, live.instance());
        if (isLong && !wasLong && draft.closing() == null) {
            log.warn(HistoryLimit.warning(key, next - 1));
        }
        fence = newFence;
        if (draft.hasEvents()) {
            build = ownBuild();
        }
        nextEventId = next;
        // A step that only rejects what was given up keeps the claim: the next one gives it back.
        owned = givenUp.keySet().removeAll(draft.consumed()) && draft.hasUpdates();
        leavesQueries = false;
        order = FeedingOrder.BY_TIME;
        if (live != null) {
            live.locals().written();
        }
    }

    /**
     * Goes on under a claim: with the instance, if no other process has written since, else with one from the history.
     */
    void adopt(RunMail.Claimed adopted) {
        ClaimedRun run = adopted.claim();
        if (live != null && !follows(run, nextEventId)) {
            goCold();
        }
        takeFence(run);
        leavesQueries = false;
        stalls = run.stalls();
        build = run.build();
        taskQueue = run.taskQueue();
        nextEventId = run.nextEventId();
        messages.clear();
        messages.addAll(adopted.messages());
        order = FeedingOrder.BY_TIME;
        look = adopted.more();
        if (live != null) {
            host.outside().telemetry().foundInMemory(type);
        } else {
            long next = rebuild(warmUp(run.type(), Map.of()), adopted.firstPage());
            refuseOtherHistory(next, run.nextEventId());
        }
    }

    /**
     * Refuses a history that does not fit the claimed row. A longer one is most often that of a run which another
     * process has claimed since: then the store refuses the stall because of the fence, and it is not reported.
     */
    private void refuseOtherHistory(long next, long said) {
        if (next > said) {
            throw new DurableException("history of " + key.shown() + " has event " + (next - 1)
                    + ", but its run says that event " + said
                    + " is the next. Usual cause: the run's row was changed by hand");
        }
        if (next < said) {
            throw new DurableException(
                    "history of " + key.shown() + " ends before event " + next + ", but its run says " + said);
        }
    }

    /**
     * Returns whether only a claim of this process replaced the fence: events that were fed from that one on are then
     * still valid under the claim's fence.
     */
    boolean follows(ClaimedRun run, long eventId) {
        return run.previousFence().equals(fence) && run.nextEventId() == eventId;
    }

    /** Returns the workflow type; empty where it is not known here. */
    String type() {
        return type;
    }

    void takeFence(ClaimedRun run) {
        fence = run.fence();
        owned = true;
        look = true;
    }

    /** Rebuilds the instance; returns the id after the last event of the history. */
    private long rebuild(LiveRun rising, @Nullable List<StoredEvent> firstPage) {
        // Where messages are to be fed first, they go before a first turn that ended the run when it was fed before
        // them.
        BooleanSupplier runWaits = () ->
                order != FeedingOrder.BY_TIME && (updatesFirst || rising.judge().hasUnseen(messages));
        ReplaySpan span = host.outside().telemetry().replay(key, type);
        HistoryReplay rebuilt = firstPage == null
                ? HistoryReplay.from(host.store(), key.runId(), rising, runWaits)
                : HistoryReplay.from(host.store(), key.runId(), rising, firstPage, runWaits);
        span.ended(rebuilt.nextEventId() - 1);
        firstTurn = rebuilt.firstTurn();
        isLong = HistoryLimit.isLong(rebuilt.nextEventId() - 1, rising.instance());
        birth = birthOf(type, rising.headers(), type.equals(BackgroundJob.TYPE) ? rising.delayedUntil() : null);
        return rebuilt.nextEventId();
    }

    /**
     * Takes back the events that were fed to a run that has ended too early, or whose first turn is to be made again: a
     * new instance stands at the end of the history, and the messages and outcomes of the draft wait again, to be fed in
     * another order. Local activities that have begun go on.
     *
     * @return false where another process has written the history meanwhile, and this one has nothing left to do
     */
    boolean rewind(TransitionDraft draft) {
        draft.discarded();
        LiveRun gone = warm();
        // A first turn that is only written again, as it sends messages, has nothing to see before it.
        order = gone.instance().isOver() ? FeedingOrder.afterEndedBy(draft.isEndedBySender()) : FeedingOrder.BY_TIME;
        List<AttemptOutcome> ended = draft.outcomes();
        for (int i = ended.size() - 1; i >= 0; i--) {
            outcomes.addFirst(ended.get(i));
        }
        gone.locals().rewind(ended);
        look = true;
        // Before the instance is let go: where the inbox can't be read, its local activities are abandoned with it.
        lookForMessages(List.of());
        live = null;
        gone.instance().evict();
        LiveRun rising = warmUp(type, Map.of(), host.newInstance(key, host.workflow(type), gone.locals()));
        return rebuild(rising, null) == nextEventId;
    }

    /** Returns whether a message of a sender waits to be fed. */
    boolean hasMessagesOfSenders() {
        return messages.stream().anyMatch(FeedingOrder::isFromSender);
    }

    // ── waiting messages and outcomes ────────────────────────────────────────────────────────────────────────────────

    void add(AttemptOutcome outcome) {
        outcomes.add(outcome);
    }

    /** Has the inbox read again, as it may have messages that this process has not seen. */
    void lookAgain() {
        look = true;
    }

    /**
     * @param known the messages that the unwritten draft has consumed, which stand in the inbox until it is written
     */
    void lookForMessages(List<UUID> known) {
        if (look) {
            look = false;
            Set<UUID> consumed = Set.copyOf(known);
            messages.clear();
            waiting(consumed).forEach(messages::add);
        }
    }

    /**
     * Returns the oldest messages that wait: as many as are fed at a time, or all of them where the run has ended
     * without having seen them. Consumed messages must not hide those behind them.
     */
    private List<InboxMessage> waiting(Set<UUID> consumed) {
        int most = MAX_MESSAGES + consumed.size();
        long bytes = Portion.BYTES;
        while (true) {
            List<InboxMessage> found =
                    host.store().messages(List.of(key), most, bytes).getOrDefault(key.runId(), List.of());
            List<InboxMessage> unseen = found.stream()
                    .filter(message -> !consumed.contains(message.messageId()))
                    .toList();
            boolean isAll = found.size() < most
                    && found.stream()
                                    .mapToLong(message -> Portion.atMost(message.payload()))
                                    .sum()
                            < bytes;
            if (isAll || (order == FeedingOrder.BY_TIME && !unseen.isEmpty())) {
                return unseen;
            }
            most = Math.min(most, MOST_MESSAGES) * 4;
            bytes *= 4;
        }
    }

    /** Feeds the waiting events; returns whether that was all of them, as a draft has bounds. */
    LiveRun.Fed feedTo(TransitionDraft draft) {
        try {
            return warm().judge().rejectGivenUp(draft, messages, givenUp) ? LiveRun.Fed.MORE : feedWaiting(draft);
        } catch (MessageJudge.GivenUp e) {
            givenUp.put(e.message(), e.rejection());
            return LiveRun.Fed.GIVEN_UP;
        }
    }

    private LiveRun.Fed feedWaiting(TransitionDraft draft) {
        LiveRun run = warm();
        run.judge().learnAnswers(messages, host.store()::replies);
        HistoryReplay.FirstTurn first = firstTurn;
        if (first == null) {
            return run.feed(draft, messages, outcomes, order);
        }
        firstTurn = null;
        run.begin(draft, first);
        if (first.begun().withNext()) {
            // A turn that waits for updates which are all rejected would wait for ever: it is made without waiting.
            if (updatesFirst && run.judge().acceptsNone(messages, givenUp)) {
                updatesFirst = false;
                return LiveRun.Fed.GIVEN_UP;
            }
            return run.feed(draft, messages, outcomes, FeedingOrder.MESSAGES_TOGETHER);
        }
        if (run.instance().isOver()) {
            draft.endsRun();
            // A run that continues again and again without a wait would never judge an update.
            updatesFirst = run.instance().isContinued() && run.judge().hasNewUpdates(messages);
            if (updatesFirst || run.judge().hasUnseen(messages)) {
                return LiveRun.Fed.ENDED_TOO_EARLY;
            }
            if (run.instance().leavesToNext()) {
                run.judge().dropUpdates(draft, messages, run.feedingTime());
            }
        }
        // A timer that is due when it is started waits for messages that were there before it.
        return run.feed(draft, messages, outcomes, order == FeedingOrder.BY_TIME ? FeedingOrder.MESSAGES_FIRST : order);
    }

    /**
     * Sends outcomes that can't be fed here any more to the inbox; those of local activities are dropped, as another
     * process would call the activity again.
     */
    void handOver(Collection<AttemptOutcome> ended) {
        for (AttemptOutcome outcome : ended) {
            if (outcome.local()) {
                outcome.settled();
            } else {
                var unused = host.lanes()
                        .jobs()
                        .submit(new JobUpdate.Settle(outcome.key(), outcome.lease(), outcome.message()))
                        .whenComplete((answer, error) -> {
                            if (error instanceof StoreRefusedException why
                                    && outcome.refusal().heard(why)) {
                                return;
                            }
                            if (answer == JobUpdate.Outcome.STALE) {
                                host.outside().eager().wasStale(outcome);
                            }
                            outcome.settled();
                        });
            }
        }
    }

    /** Creates a draft whose first event follows the last of the history. */
    TransitionDraft newDraft() {
        return newDraft(0);
    }

    /**
     * @param refusals how often in a row the end of the run was refused so far
     */
    TransitionDraft newDraft(int refusals) {
        JobBirth births = birth;
        LiveRun run = live;
        OutgoingMessages sends = new OutgoingMessages(
                key,
                run == null ? key.runId() : run.chainId(),
                () -> warm().instance(),
                run == null ? null : run.interception());
        return new TransitionDraft(births == null ? birthOf("", Map.of(), null) : births, sends, nextEventId, refusals);
    }

    private JobBirth birthOf(String type, Map<String, String> headers, @Nullable Instant delayedUntil) {
        LiveRun run = live;
        JobHeaders jobHeaders =
                new JobHeaders(headers, host.code().headersJson(), run == null ? null : run.interception());
        return new JobBirth(key, type, jobHeaders, host.outside().eager(), delayedUntil);
    }

    // ── queries ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /**
     * Answers a query, if the instance is up to date; else the caller must replay. Where a query has not returned, those
     * behind it are left to their callers, until the run has made its next step: each could hold up all runs of the
     * process for the limit of a turn.
     */
    void answer(RunMail.Ask ask) {
        LiveRun run = live;
        try {
            if (run == null
                    || leavesQueries
                    || !host.store().history(key.runId(), nextEventId, 1).isEmpty()) {
                ask.answer().complete(Optional.empty());
            } else {
                ask.answer().complete(Optional.of(run.instance().query(ask.query(), ask.arguments())));
            }
        } catch (RuntimeException | Error e) {
            ask.answer().completeExceptionally(e);
        }
        if (run != null && !run.instance().isUsable()) {
            leavesQueries = true;
            if (!isBusyHere() || !rewind(newDraft())) {
                drop();
            }
        }
    }
}
