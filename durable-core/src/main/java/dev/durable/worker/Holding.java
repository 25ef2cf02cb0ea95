package dev.durable.worker;

import dev.durable.DurableException;
import dev.durable.declare.WorkflowType;
import dev.durable.replay.Turn;
import dev.durable.store.ClaimedRun;
import dev.durable.store.InboxMessage;
import dev.durable.store.JobUpdate;
import dev.durable.store.RunKey;
import dev.durable.store.StoredEvent;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What this process holds of one run: its instance, the fence that was written or claimed last, and what waits to be fed.
 * Losing it loses nothing: messages still stand in the inbox, and outcomes are put there.
 */
final class Holding {
    private static final int MAX_MESSAGES = 1_000;

    private final RunKey key;
    private final RunHost host;
    private final LocalCalls.Caller caller;
    private final ArrayDeque<InboxMessage> messages = new ArrayDeque<>();
    private final ArrayDeque<AttemptOutcome> outcomes = new ArrayDeque<>();

    private @Nullable LiveRun live;
    private @Nullable JobBirth birth;
    /** Run by a rebuild of a history that holds nothing but WorkflowStarted: its commands are still to be written. */
    private @Nullable Turn firstTurn;

    private UUID fence = new UUID(0, 0);
    private long nextEventId = 1;
    private int stalls;
    private boolean owned;
    private boolean look;

    Holding(RunKey key, RunHost host, LocalCalls.Caller caller) {
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

    /** An instance that has had no event yet. */
    LiveRun warmUp(String type, Map<String, String> headers) {
        WorkflowType workflow = host.workflow(type);
        LiveRun run = host.newInstance(key, workflow, caller);
        live = run;
        birth = birthOf(type, headers);
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

    /** Cold, and nothing waits here either. */
    void drop() {
        handOver(outcomes);
        outcomes.clear();
        messages.clear();
        goCold();
    }

    /** Rough bytes. The cache keeps what weighs nothing: a run that waits for a body in this process is not to be lost. */
    int weight() {
        LiveRun run = live;
        if (run == null) {
            return 1_000;
        }
        return isBusyHere() ? 0 : run.instance().weight();
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

    void written(UUID newFence, long next) {
        fence = newFence;
        nextEventId = next;
        owned = false;
    }

    /** Goes on under a claim: with the instance, if nobody has written since, else with one from the history. */
    void adopt(Mail.Claimed adopted) {
        ClaimedRun run = adopted.claim();
        if (live != null && !follows(run, nextEventId)) {
            goCold();
        }
        takeFence(run);
        stalls = run.stalls();
        nextEventId = run.nextEventId();
        messages.clear();
        messages.addAll(adopted.messages());
        look = false;
        if (live == null) {
            rebuild(run, adopted.firstPage());
        }
    }

    /** Whether the claim is the only thing that came between: what was fed from that event on still holds under it. */
    boolean follows(ClaimedRun run, long eventId) {
        return run.previousFence().equals(fence) && run.nextEventId() == eventId;
    }

    void takeFence(ClaimedRun run) {
        fence = run.fence();
        owned = true;
        look = true;
    }

    private void rebuild(ClaimedRun run, @Nullable List<StoredEvent> firstPage) {
        LiveRun rising = warmUp(run.type(), Map.of());
        Rebuild rebuilt = firstPage == null
                ? Rebuild.from(host.store(), key.runId(), rising)
                : Rebuild.from(host.store(), key.runId(), rising, firstPage);
        if (rebuilt.nextEventId() != run.nextEventId()) {
            throw new DurableException("history of " + key.workflowId() + " ends before event " + rebuilt.nextEventId()
                    + ", but its run says " + run.nextEventId());
        }
        firstTurn = rebuilt.firstTurn();
        birth = birthOf(run.type(), rising.headers());
    }

    // ── what waits ───────────────────────────────────────────────────────────────────────────────────────────────────

    void add(AttemptOutcome outcome) {
        outcomes.add(outcome);
    }

    /** Messages may have come that this process has not seen. */
    void lookAgain() {
        look = true;
    }

    void lookForMessages(List<UUID> known) {
        if (look) {
            look = false;
            messages.clear();
            host.store().messages(List.of(key), MAX_MESSAGES).getOrDefault(key.runId(), List.of()).stream()
                    .filter(message -> !known.contains(message.messageId()))
                    .forEach(messages::add);
        }
    }

    /** Feeds what waits; tells whether that was all, as a draft has bounds. */
    boolean feedTo(Draft draft) {
        LiveRun run = warm();
        Turn first = firstTurn;
        if (first != null) {
            firstTurn = null;
            run.begin(draft, first);
        }
        return run.feed(draft, messages, outcomes);
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
                            if (answer == JobUpdate.Outcome.STALE) {
                                host.outside().eager().cameTooLate();
                            }
                            outcome.settled();
                        });
            }
        }
    }

    /** A draft that goes on where the history ends. */
    Draft newDraft() {
        JobBirth births = birth;
        return new Draft(births == null ? birthOf("", Map.of()) : births, nextEventId);
    }

    private JobBirth birthOf(String type, Map<String, String> headers) {
        return new JobBirth(
                key, type, headers, host.outside().eager(), host.code().headersJson());
    }

    // ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────

    /** Answers, if the instance is up to date; else the caller must replay. */
    void answer(Mail.Ask ask) {
        LiveRun run = live;
        try {
            if (run == null
                    || !host.store().history(key.runId(), nextEventId, 1).isEmpty()) {
                ask.answer().complete(Optional.empty());
            } else {
                ask.answer().complete(Optional.of(run.instance().query(ask.query(), ask.arguments())));
            }
        } catch (RuntimeException e) {
            ask.answer().completeExceptionally(e);
        }
    }
}
