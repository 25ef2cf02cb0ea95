package dev.durable.internal.run;

import dev.durable.DurableException;
import dev.durable.StoreRefusedException;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.attempt.LocalCalls;
import dev.durable.internal.commit.Weights;
import dev.durable.internal.declare.WorkflowType;
import dev.durable.internal.observe.ReplaySpan;
import dev.durable.internal.replay.BackgroundJob;
import dev.durable.store.ClaimedRun;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobUpdate;
import dev.durable.store.Portion;
import dev.durable.store.RunKey;
import dev.durable.store.StoredEvent;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process has in memory of one run: its instance, the fence under which it may write, and the messages and
 * outcomes that wait to be fed; all of it can be rebuilt from the store. It can be dropped at any time: messages are
 * still in the inbox, and outcomes are put there.
 */
final class HeldRun {
    /** Events of which a history is said to be too long, once in the life of a run: when it comes to have more. */
    static final int LONG_HISTORY = 10_000;

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
    /** Run by a rebuild of a history that holds nothing but WorkflowStarted: its commands are still to be written. */
    private HistoryReplay.@Nullable FirstTurn firstTurn;

    private UUID fence = new UUID(0, 0);
    private long nextEventId = 1;
    private int stalls;
    private boolean owned;
    private boolean look;
    private String type = "";
    private FeedingOrder order = FeedingOrder.BY_TIME;

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

    /** Headers given at its start; none where it has no instance. */
    Map<String, String> headers() {
        LiveRun run = live;
        return run == null ? Map.of() : run.headers();
    }

    /** An instance that has had no event yet. */
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

    /** Whether it waits for local activities of this process. */
    boolean isBusyHere() {
        return live != null && !live.locals().isEmpty();
    }

    void goCold() {
        LiveRun run = live;
        live = null;
        firstTurn = null;
        if (run != null) {
            run.evict();
        }
    }

    /** There is no instance, and nothing waits to be fed. */
    void drop() {
        handOver(outcomes);
        outcomes.clear();
        messages.clear();
        goCold();
    }

    /**
     * Rough bytes. The cache keeps what weighs nothing: a run that waits for a body in this process must stay in
     * memory.
     */
    int weight() {
        return isBusyHere() ? 0 : bytes();
    }

    /** Rough bytes, whatever it waits for. */
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

    /** How often in a row it has stalled. */
    int stalls() {
        return stalls;
    }

    /** Whether a claim of ours has to be given back by the next transition. */
    boolean isOwned() {
        return owned;
    }

    void givesBack() {
        owned = false;
    }

    void starts(UUID firstFence) {
        fence = firstFence;
    }

    /** Nothing but the start is written; the first turn is still to be made for good. */
    void startedWithoutFirstTurn() {
        nextEventId = 2;
    }

    void written(UUID newFence, long next) {
        if (nextEventId <= LONG_HISTORY + 1 && next > LONG_HISTORY + 1) {
            log.warn(
                    "the history of {} has more than {} events, and each replay of the run (after an eviction, on another"
                            + " worker, for a query) repeats all of them. Usual cause: a loop that goes on for months. Way out:"
                            + " let run return, after an activity has started the next run under another workflow id, with what"
                            + " this one knows as its argument; or do the loop in an activity that notes its place with"
                            + " ActivityContext.checkpoint",
                    key.shown(),
                    LONG_HISTORY);
        }
        fence = newFence;
        nextEventId = next;
        owned = false;
        order = FeedingOrder.BY_TIME;
        if (live != null) {
            live.locals().written();
        }
    }

    /** Goes on under a claim: with the instance, if nobody has written since, else with one from the history. */
    void adopt(RunMail.Claimed adopted) {
        ClaimedRun run = adopted.claim();
        if (live != null && !follows(run, nextEventId)) {
            goCold();
        }
        takeFence(run);
        stalls = run.stalls();
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
     * A longer history is most often that of a run which another process has claimed since: then the stall is refused with
     * the claim's fence, and nobody hears of it.
     */
    private void refuseOtherHistory(long next, long said) {
        if (next > said) {
            throw new DurableException("history of " + key.shown() + " has event " + (next - 1)
                    + ", but its run says that event " + said
                    + " is the next. Usual cause: somebody has changed the run's row by hand");
        }
        if (next < said) {
            throw new DurableException(
                    "history of " + key.shown() + " ends before event " + next + ", but its run says " + said);
        }
    }

    /**
     * Whether nothing but our own claim replaced the fence: what was fed from that event on is then still valid under
     * the claim's fence.
     */
    boolean follows(ClaimedRun run, long eventId) {
        return run.previousFence().equals(fence) && run.nextEventId() == eventId;
    }

    /** The type of its workflow; empty where it is not known here. */
    String type() {
        return type;
    }

    void takeFence(ClaimedRun run) {
        fence = run.fence();
        owned = true;
        look = true;
    }

    /** Gives the id after the last event of the history. */
    private long rebuild(LiveRun rising, @Nullable List<StoredEvent> firstPage) {
        // Messages go before a first turn that ended the run when it was fed before them.
        BooleanSupplier runWaits = () -> order != FeedingOrder.BY_TIME && rising.hasUnseen(messages);
        ReplaySpan span = host.outside().telemetry().replay(key, type);
        HistoryReplay rebuilt = firstPage == null
                ? HistoryReplay.from(host.store(), key.runId(), rising, runWaits)
                : HistoryReplay.from(host.store(), key.runId(), rising, firstPage, runWaits);
        span.ended(rebuilt.nextEventId() - 1);
        firstTurn = rebuilt.firstTurn();
        birth = birthOf(type, rising.headers(), type.equals(BackgroundJob.TYPE) ? rising.delayedUntil() : null);
        return rebuilt.nextEventId();
    }

    /**
     * Takes back what was fed to a run that has ended too early: a new instance stands where the history ends, and what the
     * draft has taken in waits again, to be fed in another order. Local activities that have begun go on.
     *
     * @return false where somebody else has written the history meanwhile, and nothing is left to do here
     */
    boolean rewind(TransitionDraft draft) {
        draft.discarded();
        LiveRun gone = warm();
        live = null;
        gone.instance().evict();
        List<AttemptOutcome> ended = draft.outcomes();
        for (int i = ended.size() - 1; i >= 0; i--) {
            outcomes.addFirst(ended.get(i));
        }
        gone.locals().rewind(ended);
        order = FeedingOrder.afterEndedBy(draft.isEndedBySender());
        look = true;
        lookForMessages(List.of());
        LiveRun rising = warmUp(type, Map.of(), host.newInstance(key, host.workflow(type), gone.locals()));
        return rebuild(rising, null) == nextEventId;
    }

    /** Whether a message of a sender waits to be fed. */
    boolean hasMessagesOfSenders() {
        return messages.stream().anyMatch(FeedingOrder::isFromSender);
    }

    // ── what waits ───────────────────────────────────────────────────────────────────────────────────────────────────

    void add(AttemptOutcome outcome) {
        outcomes.add(outcome);
    }

    /** Messages may have come that this process has not seen. */
    void lookAgain() {
        look = true;
    }

    /** @param known what the draft in the making has consumed, which stands in the inbox until that is written */
    void lookForMessages(List<UUID> known) {
        if (look) {
            look = false;
            Set<UUID> consumed = Set.copyOf(known);
            messages.clear();
            waiting(consumed).forEach(messages::add);
        }
    }

    /**
     * The oldest that wait: so many as are fed at a time, or all where the run has ended without having seen them. What is
     * consumed must not hide what comes behind it.
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

    /** Feeds what waits; tells whether that was all, as a draft has bounds. */
    LiveRun.Fed feedTo(TransitionDraft draft) {
        LiveRun run = warm();
        HistoryReplay.FirstTurn first = firstTurn;
        if (first == null) {
            return run.feed(draft, messages, outcomes, order);
        }
        firstTurn = null;
        run.begin(draft, first);
        if (first.begun().withNext()) {
            return run.feed(draft, messages, outcomes, FeedingOrder.MESSAGES_TOGETHER);
        }
        if (run.instance().hasEnded()) {
            draft.endsRun();
            if (run.hasUnseen(messages)) {
                return LiveRun.Fed.ENDED_TOO_EARLY;
            }
        }
        // A timer that is due as it is started waits for messages that were there before it.
        return run.feed(draft, messages, outcomes, order == FeedingOrder.BY_TIME ? FeedingOrder.MESSAGES_FIRST : order);
    }

    /** What can't be fed here any more goes to the inbox; of a local activity nobody else would know what to do with it. */
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

    /** A new draft, whose first event follows the last of the history. */
    TransitionDraft newDraft() {
        return newDraft(0);
    }

    /** @param refusals how often the run was refused its end just before */
    TransitionDraft newDraft(int refusals) {
        JobBirth births = birth;
        return new TransitionDraft(births == null ? birthOf("", Map.of(), null) : births, nextEventId, refusals);
    }

    private JobBirth birthOf(String type, Map<String, String> headers, @Nullable Instant delayedUntil) {
        LiveRun run = live;
        JobHeaders jobHeaders =
                new JobHeaders(headers, host.code().headersJson(), run == null ? null : run.interception());
        return new JobBirth(key, type, jobHeaders, host.outside().eager(), delayedUntil);
    }

    // ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Answers, if the instance is up to date; else the caller must replay. */
    void answer(RunMail.Ask ask) {
        LiveRun run = live;
        try {
            if (run == null
                    || !host.store().history(key.runId(), nextEventId, 1).isEmpty()) {
                ask.answer().complete(Optional.empty());
            } else {
                ask.answer().complete(Optional.of(run.instance().query(ask.query(), ask.arguments())));
            }
        } catch (RuntimeException | Error e) {
            ask.answer().completeExceptionally(e);
        }
    }
}
