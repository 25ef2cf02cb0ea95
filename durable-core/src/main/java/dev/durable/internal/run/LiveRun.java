package dev.durable.internal.run;

import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.LocalCall;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.SignalReceived;
import dev.durable.history.StoredEvent;
import dev.durable.history.TimerFired;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.call.LocalWork;
import dev.durable.internal.replay.call.TimerDue;
import dev.durable.internal.replay.match.RecordedTurn;
import dev.durable.internal.replay.match.Turn;
import dev.durable.internal.text.Bounds;
import dev.durable.store.CancelledIdleJob;
import dev.durable.store.JobKey;
import dev.durable.store.LeftJob;
import dev.durable.store.RunKey;
import dev.durable.store.StoreClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's workflow instance in memory, with the data that it needs to go on without reading the history: the time of
 * the last event, and the ids of consumed messages in its {@link MessageJudge}.
 */
public final class LiveRun {
    /** The most events of a transition before it is written, so that locks are short and a crash repeats little. */
    private static final int MAX_EVENTS = 2_000;

    private static final Logger log = LoggerFactory.getLogger(LiveRun.class);

    private final RunKey key;
    private final WorkflowInstance instance;
    private final StoreClock clock;
    private final MessageJudge judge;
    private final RunLocals locals;
    private final @Nullable RunInterception interception;
    private final BiConsumer<Instant, Instant> timers;
    /**
     * True while messages are fed together: no event may come between them, not even the end of an activity that they
     * cancel.
     */
    private boolean together;

    private final List<Integer> unbornTogether = new ArrayList<>(0);
    /**
     * How many notes of a waiting outcome are in the history already, because they are older than a request to cancel
     * before it.
     */
    private final Map<UUID, Integer> noted = new HashMap<>();

    private Instant lastAt = Instant.EPOCH;
    private Map<String, String> headers = Map.of();
    private @Nullable Instant delayedUntil;
    private UUID chainId;
    private boolean fed;

    /** The result of feeding a run. */
    enum Fed {
        /** All waiting events were fed. */
        ALL,
        /** The draft is full, and more waits. */
        MORE,
        /** The run has ended while messages wait that it has not seen: nothing of the draft may be written. */
        ENDED_TOO_EARLY,
        /** The judgement of an update did not return in time, so the instance is lost. */
        GIVEN_UP
    }

    /**
     * @param interception the interceptors around turns and replays; null without any
     * @param timers gets the times at which a timer was due and is fed
     */
    LiveRun(
            RunKey key,
            WorkflowInstance instance,
            StoreClock clock,
            RunLocals locals,
            @Nullable RunInterception interception,
            BiConsumer<Instant, Instant> timers) {
        this.interception = interception;
        this.timers = timers;
        this.key = key;
        this.chainId = key.runId();
        this.instance = instance;
        this.clock = clock;
        this.locals = locals;
        this.judge = new MessageJudge(key, instance);
    }

    /** Returns the decision about messages that wait: which of them become events. */
    MessageJudge judge() {
        return judge;
    }

    /** Returns the run's local activities that have begun. */
    RunLocals locals() {
        return locals;
    }

    /** Returns when the run must be fed at the latest; null for never. */
    @Nullable
    Instant wakeAt() {
        Instant timer = instance.nextTimer();
        Instant silence = locals.silentUntil(clock.now());
        return timer == null || (silence != null && silence.isBefore(timer)) ? silence : timer;
    }

    /** Drops the instance with its local activities. */
    void evict() {
        try {
            locals.abandon();
        } finally {
            instance.evict();
        }
    }

    public WorkflowInstance instance() {
        return instance;
    }

    /** Returns the rough bytes of the instance. */
    long weight() {
        return instance.weight() + judge.weight();
    }

    @Nullable
    RunInterception interception() {
        return interception;
    }

    private Turn turn(HistoryEvent.Inbound event) {
        return interception == null ? instance.feed(event) : turn(event, () -> instance.feed(event));
    }

    /** Makes a turn, through the interceptors. */
    Turn turn(HistoryEvent.Inbound event, Supplier<Turn> made) {
        return interception == null ? made.get() : interception.turn(event, made, instance);
    }

    /** Makes turns of the history again, for a replay. */
    void replay(List<RecordedTurn> turns) {
        if (interception == null || !interception.seesReplayedTurns()) {
            instance.replay(turns);
            return;
        }
        for (RecordedTurn turn : turns) {
            interception.replayedTurn(turn.event(), () -> instance.replay(List.of(turn)));
        }
    }

    /** Records an event that is in the history already. */
    void remember(HistoryEvent event) {
        lastAt = event.at().isAfter(lastAt) ? event.at() : lastAt;
        fed |= event instanceof HistoryEvent.Inbound && !(event instanceof WorkflowStarted);
        judge.remember(event);
        if (event instanceof WorkflowStarted started) {
            headers = started.headers();
            chainId = started.chainId();
            if (interception != null) {
                interception.started(started);
            }
            delayedUntil = started.delayedUntil();
        } else if (event instanceof WorkflowForked forked) {
            chainId = forked.chainId();
            delayedUntil = null;
        }
    }

    /** Returns the id of the run's chain: the run id of its first run. */
    UUID chainId() {
        return chainId;
    }

    /** Returns whether an event has come to the run since its start. */
    boolean wasFed() {
        return fed;
    }

    Map<String, String> headers() {
        return headers;
    }

    /** Returns when the delay of the start ends, if nothing ends it before; null without a delay. */
    @Nullable
    Instant delayedUntil() {
        return delayedUntil;
    }

    /** Returns the time of an event that is fed now: the store's clock, never before the last event. */
    Instant feedingTime() {
        Instant now = clock.now();
        return now.isAfter(lastAt) ? now : lastAt;
    }

    /** Feeds the first event. */
    void start(TransitionDraft draft, WorkflowStarted started) {
        remember(started);
        Turn turn = turn(started);
        boolean silent = turn.commands().isEmpty();
        endUnborn(draft, draft.add(turn, EventJson.encode(silent ? started.withFirstTurnDone() : started)));
        hearOfLocals(draft);
    }

    /** Adds a first turn to the draft whose event is in the history already. */
    void begin(TransitionDraft draft, HistoryReplay.FirstTurn first) {
        StoredEvent begun = EventJson.encode(first.begun());
        if (first.isLater()) {
            draft.inform(List.of(begun));
        } else {
            draft.informUnlessOthers(begun);
        }
        endUnborn(draft, draft.addCommands(first.turn()));
    }

    /**
     * Feeds the waiting events, one at a time. Stops early when the draft is full, when a turn has sent a message to
     * its own run, which waits in the inbox once the draft is written, and when the run comes to its end while messages
     * wait that it has not seen.
     */
    Fed feed(TransitionDraft draft, Deque<InboxMessage> messages, Deque<AttemptOutcome> outcomes, FeedingOrder order) {
        if (instance.leavesToNext()) {
            return draft.sends().isAnyToItself() ? Fed.MORE : leaveToNext(draft, outcomes);
        }
        int stage = endingStage();
        hearOfLocals(draft);
        if (order == FeedingOrder.MESSAGES_TOGETHER) {
            feedTogether(draft, messages);
        }
        do {
            if (stage < endingStage()) {
                stage = endingStage();
                draft.endsRun();
                if (messages.stream().anyMatch(FeedingOrder::isFromSender)) {
                    return Fed.ENDED_TOO_EARLY;
                }
            }
        } while (draft.size() < MAX_EVENTS
                && (!draft.sends().isAnyToItself() || isTimeoutNext(messages, order))
                && !instance.leavesToNext()
                && feedNext(draft, messages, outcomes, order));
        if (instance.leavesToNext()) {
            return draft.sends().isAnyToItself() ? Fed.MORE : leaveToNext(draft, outcomes);
        }
        if (stage < endingStage()) {
            draft.endsRun();
        }
        // Even a full draft may hold all events: then the run is parked, as a run that is not keeps other workers away.
        boolean all = messages.isEmpty() && outcomes.isEmpty() && firstDue() == null;
        return all && !draft.sends().isAnyToItself() ? Fed.ALL : Fed.MORE;
    }

    /**
     * Feeds nothing more, as another run goes on: messages wait for that one, and it knows no activity of this one. The
     * history tells of the outcomes of open activities that have come, as these have had effects.
     */
    private Fed leaveToNext(TransitionDraft draft, Deque<AttemptOutcome> outcomes) {
        outcomes.forEach(draft::settle);
        List<LeftJob> left = outcomes.stream()
                .filter(outcome -> endsOpenActivity(draft, outcome))
                .map(outcome -> LeftJob.of(outcome.message()))
                .toList();
        draft.inform(LeftJob.events(left, feedingTime()));
        outcomes.clear();
        return Fed.ALL;
    }

    /**
     * Returns the stage of the run's ending: at 1 {@code run} sees no more messages, at 2 their handlers can't wait or
     * call any more either. Messages that wait before such a stage are to be fed before it.
     */
    private int endingStage() {
        return instance.hasResult() ? 2 : instance.hasEnded() ? 1 : 0;
    }

    /**
     * Feeds the next event: due timers by the times at which they are due and messages by the times at which they were
     * accepted, or messages first; then outcomes of this process. A run that has no room for anything but the outcome of
     * a local activity gets that first: the step that has it may be larger than the limit of the history.
     *
     * @return false where no event waits
     */
    private boolean feedNext(
            TransitionDraft draft, Deque<InboxMessage> messages, Deque<AttemptOutcome> outcomes, FeedingOrder order) {
        Optional<AttemptOutcome> awaited = locals.areAwaited()
                ? outcomes.stream().filter(AttemptOutcome::local).findFirst()
                : Optional.empty();
        if (awaited.isPresent()) {
            outcomes.remove(awaited.get());
            feed(draft, awaited.get());
            return true;
        }
        InboxMessage message = order.next(messages);
        TimerDue timer = timerBefore(message, order);
        if (timer != null) {
            draft.endedBySender(false);
            Instant fired = feedingTime();
            timers.accept(timer.fireAt(), fired);
            UUID callback = instance.callbackTimedBy(timer.seq());
            feed(draft, new TimerFired(draft.nextEventId(), fired, timer.seq()));
            if (callback != null) {
                draft.sends().addTimeout(callback);
            }
        } else if (message != null) {
            messages.remove(message);
            informEarlier(draft, message, messages);
            draft.consume(message);
            draft.endedBySender(FeedingOrder.isFromSender(message));
            if (judge.accepts(draft, message, feedingTime())) {
                deliver(draft, message, false);
            }
        } else if (!outcomes.isEmpty()) {
            feed(draft, outcomes.remove());
        } else {
            return false;
        }
        return true;
    }

    private void feed(TransitionDraft draft, AttemptOutcome outcome) {
        draft.settle(outcome);
        draft.endedBySender(false);
        if (isWaitedFor(outcome) && judge.accepts(draft, outcome.message(), feedingTime())) {
            deliver(draft, outcome.message(), false);
        }
    }

    /**
     * Feeds all messages of senders together: each is handled before the code goes on, whichever of them it waits for.
     * Updates are judged before the first of them is fed, as the last event of the group has to say that it is the last.
     */
    private void feedTogether(TransitionDraft draft, Deque<InboxMessage> messages) {
        List<InboxMessage> group =
                messages.stream().filter(FeedingOrder::isFromSender).toList();
        messages.removeIf(FeedingOrder::isFromSender);
        group.forEach(message -> informEarlier(draft, message, messages));
        group.forEach(draft::consume);
        List<InboxMessage> unseen = group.stream()
                .filter(message -> judge.accepts(draft, message, feedingTime()))
                .toList();
        draft.endedBySender(true);
        together = true;
        for (int i = 0; i < unseen.size(); i++) {
            deliver(draft, unseen.get(i), i < unseen.size() - 1);
        }
        together = false;
        endUnborn(draft, List.copyOf(unbornTogether));
        unbornTogether.clear();
        hearOfLocals(draft);
    }

    /** Returns whether the outcome is not that of a call which an instance before this one has made. */
    private boolean isWaitedFor(AttemptOutcome outcome) {
        return !outcome.local() || locals.ended(outcome);
    }

    private boolean endsOpenActivity(TransitionDraft draft, AttemptOutcome outcome) {
        StoredEvent stored = stored(draft.nextEventId(), outcome.message());
        return isWaitedFor(outcome)
                && instance.accepts(InboxEvents.read(outcome.message(), stored, HistoryEvent.ActivityClosed.class));
    }

    /**
     * Returns whether the next event is the timer of a callback. No code runs in its turn, so the messages to itself that
     * the draft sends need not be fed before it.
     */
    private boolean isTimeoutNext(Deque<InboxMessage> messages, FeedingOrder order) {
        TimerDue timer = timerBefore(order.next(messages), order);
        return timer != null && instance.callbackTimedBy(timer.seq()) != null;
    }

    /** Returns the timer that is due and is fed before this message, which is fed next; null where none is. */
    private @Nullable TimerDue timerBefore(@Nullable InboxMessage message, FeedingOrder order) {
        TimerDue timer = order.letsTimersWait(message) ? null : firstDue();
        return timer == null || (message != null && timer.fireAt().isAfter(acceptedAt(message))) ? null : timer;
    }

    private @Nullable TimerDue firstDue() {
        TimerDue next = instance.firstTimer();
        return next == null || next.fireAt().isAfter(clock.now()) ? null : next;
    }

    private static Instant acceptedAt(InboxMessage message) {
        Instant at = message.at();
        return at == null ? Instant.MAX : at;
    }

    /** Turns a message into an event, unless the run does not wait for it. */
    private void deliver(TransitionDraft draft, InboxMessage message, boolean withNext) {
        switch (message.kind()) {
            case SIGNAL ->
                feed(
                        draft,
                        new SignalReceived(
                                draft.nextEventId(),
                                feedingTime(),
                                message.messageId(),
                                message.name(),
                                new Payload(message.payload()),
                                withNext,
                                message.at()));
            case UPDATE -> deliverUpdate(draft, message, withNext);
            case CANCEL -> deliverCancel(draft, message, withNext);
            case ACTIVITY_OUTCOME -> deliverEncoded(draft, message);
            case CHILD_OUTCOME -> deliverOfChild(draft, message);
            case CALLBACK -> deliverOfCallback(draft, message);
            case CHILD_START, CHILD_WATCH, CHILD_TERMINATE, PARENT_CLOSED ->
                throw InboxEvents.unreadable(message, "a " + message.kind() + " stands in an outbox only", null);
            case UNKNOWN ->
                throw InboxEvents.unreadable(
                        message,
                        "it is of a kind that this version of Durable does not know. Let a worker of the version that sent"
                                + " it take the run, or upgrade this one",
                        null);
        }
    }

    private void deliverOfChild(TransitionDraft draft, InboxMessage message) {
        StoredEvent stored = stored(draft.nextEventId(), message);
        HistoryEvent.OfChild event = InboxEvents.read(message, stored, HistoryEvent.OfChild.class);
        if (instance.accepts(event)) {
            feed(draft, event, stored);
        }
    }

    private void deliverOfCallback(TransitionDraft draft, InboxMessage message) {
        StoredEvent stored = stored(draft.nextEventId(), message);
        HistoryEvent.OfCallback event = InboxEvents.read(message, stored, HistoryEvent.OfCallback.class);
        boolean accepted = instance.accepts(event);
        if (accepted && event instanceof CallbackExtended && !instance.mayBeExtended(event.callback())) {
            draft.onceWritten(() -> log.warn(
                    "an extension of a callback of {} is dropped: the callback was given more time {} times before, each of"
                            + " which stands in the history. Give it as much time as it needs at once",
                    key.shown(),
                    Bounds.EXTENSIONS));
        } else if (accepted && event instanceof CallbackCompleted sent) {
            feed(draft, judge.read(message, sent));
        } else if (accepted) {
            feed(draft, event, stored);
        } else if (!(event instanceof CallbackTimedOut)) {
            draft.onceWritten(() -> log.warn(
                    "{} of {} is dropped: its callback had been cancelled or had ended when the run took in the message,"
                            + " although it was open when the message was sent",
                    event.type(),
                    key.shown()));
        }
    }

    private void deliverUpdate(TransitionDraft draft, InboxMessage message, boolean withNext) {
        UpdateAccepted sent = InboxEvents.update(message, draft.nextEventId(), feedingTime());
        feed(
                draft,
                new UpdateAccepted(
                        sent.id(),
                        sent.at(),
                        sent.messageId(),
                        sent.updateId(),
                        sent.name(),
                        sent.input(),
                        withNext,
                        message.at()));
    }

    private void deliverCancel(TransitionDraft draft, InboxMessage message, boolean withNext) {
        StoredEvent stored = stored(draft.nextEventId(), message);
        WorkflowCancelRequested sent = InboxEvents.read(message, stored, WorkflowCancelRequested.class);
        feed(
                draft,
                new WorkflowCancelRequested(
                        sent.id(), sent.at(), sent.messageId(), sent.reason(), sent.by(), withNext));
    }

    /**
     * Writes the failed attempts that are older than a request to cancel before that request, although they come with
     * the outcome.
     */
    private void informEarlier(TransitionDraft draft, InboxMessage message, Collection<InboxMessage> behind) {
        Instant asked = message.at();
        if (message.kind() != MessageKind.CANCEL || asked == null || judge.hasSeen(message)) {
            return;
        }
        for (InboxMessage outcome : behind) {
            if (outcome.kind() == MessageKind.ACTIVITY_OUTCOME && outcome.notes() != null) {
                List<StoredEvent> notes = InboxEvents.notes(outcome);
                int told = noted.getOrDefault(outcome.messageId(), 0);
                int earlier = (int)
                        notes.stream().filter(note -> !note.at().isAfter(asked)).count();
                if (earlier > told) {
                    draft.inform(notes.subList(told, earlier));
                    noted.put(outcome.messageId(), earlier);
                }
            }
        }
    }

    /** Returns the event that a message becomes which brings the attributes of one. */
    private StoredEvent stored(long id, InboxMessage message) {
        return new StoredEvent(id, message.name(), feedingTime(), message.messageId(), message.payload());
    }

    private void deliverEncoded(TransitionDraft draft, InboxMessage message) {
        List<StoredEvent> all = InboxEvents.notes(message);
        Integer told = noted.remove(message.messageId());
        List<StoredEvent> informing = told == null ? all : all.subList(told, all.size());
        long id = draft.nextEventId() + informing.size();
        StoredEvent stored = stored(id, message);
        HistoryEvent.ActivityClosed event = InboxEvents.read(message, stored, HistoryEvent.ActivityClosed.class);
        if (instance.accepts(event)) {
            draft.inform(informing);
            Failure last = event instanceof ActivityTimedOut ? InboxEvents.lastFailure(all) : null;
            if (last != null && event instanceof ActivityTimedOut late) {
                feed(draft, late.after(last));
            } else {
                feed(draft, event, stored);
            }
        }
    }

    private void feed(TransitionDraft draft, HistoryEvent.Inbound event) {
        feed(draft, event, EventJson.encode(event));
    }

    private void feed(TransitionDraft draft, HistoryEvent.Inbound event, StoredEvent stored) {
        Turn turn = turn(event);
        remember(event);
        turn.commands().forEach(this::remember);
        List<Integer> unborn = draft.add(turn, stored);
        if (together) {
            unbornTogether.addAll(unborn);
        } else {
            endUnborn(draft, unborn);
            hearOfLocals(draft);
        }
    }

    /**
     * Has local activities begun and stopped once their turn is durable. One that is cancelled before that ends at
     * once.
     */
    void hearOfLocals(TransitionDraft draft) {
        for (LocalWork work : instance.localNews()) {
            ActivityScheduled call = work.call();
            if (!work.cancelled()) {
                locals.begin(draft, call);
            } else if (!locals.cancel(draft, call.seq())) {
                feed(
                        draft,
                        new ActivityCancelled(
                                draft.nextEventId(),
                                feedingTime(),
                                call.seq(),
                                0,
                                CancelledIdleJob.messageId(new JobKey(key, call.seq())),
                                null,
                                new LocalCall(call.activity(), call.input())));
            }
        }
    }

    /**
     * Ends activities that were scheduled and cancelled before they were ever written: they have no job, so this is
     * their outcome.
     */
    private void endUnborn(TransitionDraft draft, List<Integer> unborn) {
        for (int seq : unborn) {
            HistoryEvent.Inbound ended = new ActivityCancelled(
                    draft.nextEventId(), feedingTime(), seq, 0, CancelledIdleJob.messageId(new JobKey(key, seq)), null);
            if (instance.accepts(ended)) {
                feed(draft, ended);
            }
        }
    }
}
