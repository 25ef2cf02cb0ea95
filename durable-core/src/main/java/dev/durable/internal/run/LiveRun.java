package dev.durable.internal.run;

import dev.durable.UpdateFailedException;
import dev.durable.UpdateRejectedException;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.FailureJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.LocalCall;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.SignalReceived;
import dev.durable.history.StoredEvent;
import dev.durable.history.TimerFired;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.WorkflowCancelRequested;
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
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import dev.durable.store.StoreClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's workflow instance in memory, with the data that it needs to go on without reading the history: the time of
 * the last event and the ids of consumed messages.
 */
public final class LiveRun {
    /** The most events of a transition before it is written, so that locks are short and a crash repeats little. */
    private static final int MAX_EVENTS = 2_000;
    /** The estimated bytes of one id in the set. */
    private static final int SEEN_BYTES = 100;

    private static final Logger log = LoggerFactory.getLogger(LiveRun.class);

    private final RunKey key;
    private final WorkflowInstance instance;
    private final StoreClock clock;
    private final Set<UUID> seen = new HashSet<>();
    /** The ids of the answers that the run has given to updates. */
    private final Set<UUID> answered = new HashSet<>();
    /** The messages that bring the id of an update again whose answer is not kept any more. */
    private final Set<UUID> tooOld = new HashSet<>(0);

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
        return instance.weight() + (long) SEEN_BYTES * (seen.size() + answered.size());
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
        switch (event) {
            case WorkflowStarted started -> {
                headers = started.headers();
                chainId = started.chainId();
                if (interception != null) {
                    interception.started(started);
                }
                delayedUntil = started.delayedUntil();
            }
            case SignalReceived signal -> seen.add(signal.messageId());
            case UpdateAccepted update -> {
                seen.add(update.messageId());
                seen.add(Reply.idOf(update.updateId()));
            }
            case WorkflowCancelRequested cancel -> seen.add(cancel.messageId());
            case HistoryEvent.ActivityClosed ignored -> {}
            case HistoryEvent.OfCallback news -> seen.add(news.messageId());
            case HistoryEvent.OfChild ignored -> {}
            case TimerFired ignored -> {}
            case UpdateCompleted update -> answered.add(Reply.idOf(update.updateId()));
            case UpdateFailed update -> answered.add(Reply.idOf(update.updateId()));
            case HistoryEvent.Command ignored -> {}
            case HistoryEvent.Informing ignored -> {}
            case HistoryEvent.Closing ignored -> {}
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

    /**
     * Learns which of the updates that wait were answered by a run that this one continues: an id is accepted once in a
     * chain, as long as its answer is kept. Of those that this run has answered itself it learns which answers are not
     * kept any more.
     */
    void learnAnswers(Collection<InboxMessage> messages, Function<List<Reply.Question>, List<Reply.State>> replies) {
        boolean continues = !chainId.equals(key.runId());
        if (!continues && answered.isEmpty()) {
            return;
        }
        RunKey chain = new RunKey(chainId, key.workflowId());
        List<Reply.Question> unknown = messages.stream()
                .filter(message -> message.kind() == MessageKind.UPDATE && !seen.contains(message.messageId()))
                .map(message -> new Reply.Question(
                        chain,
                        message.messageId(),
                        Reply.idOf(InboxEvents.update(message, 1, Instant.EPOCH).updateId())))
                .filter(question ->
                        answered.contains(question.answer()) || (continues && !seen.contains(question.answer())))
                .toList();
        for (Reply.State state : unknown.isEmpty() ? List.<Reply.State>of() : replies.apply(unknown)) {
            Reply reply = state.reply();
            if (reply != null) {
                seen.add(
                        reply.kind().isRejection()
                                ? state.question().message()
                                : state.question().answer());
            } else if (answered.contains(state.question().answer())) {
                tooOld.add(state.question().message());
            }
        }
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

    /**
     * Returns whether the run has not seen one of these messages, which waits for it and becomes an event for certain: an
     * update may be rejected, and then a turn that waits for the event behind it would wait for ever.
     */
    boolean hasUnseen(Collection<InboxMessage> messages) {
        return messages.stream()
                .anyMatch(message -> FeedingOrder.isFromSender(message)
                        && !message.kind().mayBeRejected()
                        && !seen.contains(message.messageId()));
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
            return leaveToNext(draft, outcomes);
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
                && !draft.sends().isAnyToItself()
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
     * history tells of outcomes that have come, as their activities have had effects.
     */
    private Fed leaveToNext(TransitionDraft draft, Deque<AttemptOutcome> outcomes) {
        outcomes.forEach(draft::settle);
        draft.inform(LeftJob.events(
                outcomes.stream().map(outcome -> LeftJob.of(outcome.message())).toList(), feedingTime()));
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
     * accepted, or messages first; then outcomes of this process.
     *
     * @return false where no event waits
     */
    private boolean feedNext(
            TransitionDraft draft, Deque<InboxMessage> messages, Deque<AttemptOutcome> outcomes, FeedingOrder order) {
        InboxMessage message = order.next(messages);
        TimerDue timer = order.letsTimersWait(message) ? null : firstDue();
        if (timer != null && (message == null || !timer.fireAt().isAfter(acceptedAt(message)))) {
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
            if (isToBeFed(draft, message)) {
                deliver(draft, message, false);
            }
        } else if (!outcomes.isEmpty()) {
            AttemptOutcome outcome = outcomes.remove();
            draft.settle(outcome);
            draft.endedBySender(false);
            if ((!outcome.local() || locals.ended(outcome)) && isToBeFed(draft, outcome.message())) {
                deliver(draft, outcome.message(), false);
            }
        } else {
            return false;
        }
        return true;
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
        List<InboxMessage> unseen =
                group.stream().filter(message -> isToBeFed(draft, message)).toList();
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

    private @Nullable TimerDue firstDue() {
        Instant next = instance.nextTimer();
        return next == null || next.isAfter(clock.now())
                ? null
                : instance.dueTimers(next).getFirst();
    }

    private static Instant acceptedAt(InboxMessage message) {
        Instant at = message.at();
        return at == null ? Instant.MAX : at;
    }

    /** Returns whether a message is to become an event: the history does not have it, and it is no update to be rejected. */
    private boolean isToBeFed(TransitionDraft draft, InboxMessage message) {
        if (seen.contains(message.messageId())) {
            if (message.kind() == MessageKind.CALLBACK) {
                log.warn(
                        "{} of {} is dropped: the callback had an outcome before, which holds",
                        Bounds.shown(message.name()),
                        key.shown());
            }
            return false;
        }
        return switch (message.kind()) {
            case UPDATE -> isAccepted(draft, message);
            case SIGNAL, CANCEL, ACTIVITY_OUTCOME, CHILD_OUTCOME, CALLBACK, UNKNOWN -> true;
            case CHILD_START, CHILD_WATCH, CHILD_TERMINATE, PARENT_CLOSED -> true;
        };
    }

    /** Judges an update; one that is not accepted is answered, and leaves no event. */
    private boolean isAccepted(TransitionDraft draft, InboxMessage message) {
        UpdateAccepted sent = InboxEvents.update(message, draft.nextEventId(), feedingTime());
        UUID answer = Reply.idOf(sent.updateId());
        if (seen.contains(answer)) {
            if (tooOld.remove(message.messageId())) {
                refuse(draft, message, forgotten(message));
            }
            return false;
        }
        if (instance.hasResult()) {
            refuse(
                    draft,
                    message,
                    instance.nextAttempt() == null
                            ? new Reply(message.messageId(), Reply.Kind.TOO_LATE, null)
                            : notYet(message));
            return false;
        }
        Failure rejection = instance.rejection(sent);
        if (rejection != null && !instance.isUsable()) {
            throw new GivenUp(message.messageId(), rejection);
        }
        if (rejection != null) {
            refuse(draft, message, rejection(message, rejection));
            return false;
        }
        seen.add(answer);
        return true;
    }

    /** Answers a message that leaves no event. It is not judged again where it is sent again, as an answer was lost. */
    private void refuse(TransitionDraft draft, InboxMessage message, Reply reply) {
        seen.add(message.messageId());
        draft.reply(reply);
    }

    private static Reply rejection(InboxMessage message, Failure failure) {
        return new Reply(message.messageId(), Reply.Kind.REJECTED, json(failure));
    }

    private static String json(Failure failure) {
        return FailureJson.encode(failure).json();
    }

    /** Thrown when the judgement of an update did not return in time: the instance is lost. */
    static final class GivenUp extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final UUID message;
        private final transient Failure rejection;

        GivenUp(UUID message, Failure rejection) {
            super("the judgement of update message " + message + " was given up", null, false, false);
            this.message = message;
            this.rejection = rejection;
        }

        UUID message() {
            return message;
        }

        Failure rejection() {
            return rejection;
        }
    }

    /**
     * Rejects those of the waiting updates whose judgement was given up before; returns whether there is one. It is
     * written before anything else is judged, so that each such update costs its time only once.
     */
    boolean rejectGivenUp(TransitionDraft draft, Deque<InboxMessage> messages, Map<UUID, Failure> givenUp) {
        boolean any = false;
        for (InboxMessage message : givenUp.isEmpty() ? List.<InboxMessage>of() : List.copyOf(messages)) {
            Failure why = givenUp.get(message.messageId());
            if (why != null) {
                messages.remove(message);
                draft.consume(message);
                refuse(draft, message, rejection(message, why));
                any = true;
            }
        }
        return any;
    }

    /** Returns the answer to an update whose id was answered so long ago that the answer itself is gone. */
    private static Reply forgotten(InboxMessage message) {
        Failure failure = Failure.of(
                UpdateFailedException.class.getName(),
                "the run has handled an update with this id before, and its answer is not kept any more. The history has"
                        + " it; for another update use another id");
        return new Reply(message.messageId(), Reply.Kind.FAILED, json(failure));
    }

    /** Returns the answer to an update that comes between two attempts, whose caller must not wait for the chain to end. */
    private static Reply notYet(InboxMessage message) {
        return rejection(
                message,
                Failure.of(
                        UpdateRejectedException.class.getName(),
                        "an attempt of the workflow has failed and is being undone before the next one begins. Send the"
                                + " update again"));
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
        StoredEvent stored = new StoredEvent(
                draft.nextEventId(), message.name(), feedingTime(), message.messageId(), message.payload());
        HistoryEvent.OfChild event = InboxEvents.read(message, stored, HistoryEvent.OfChild.class);
        if (instance.accepts(event)) {
            feed(draft, event, stored);
        }
    }

    private void deliverOfCallback(TransitionDraft draft, InboxMessage message) {
        StoredEvent stored = new StoredEvent(
                draft.nextEventId(), message.name(), feedingTime(), message.messageId(), message.payload());
        HistoryEvent.OfCallback event = InboxEvents.read(message, stored, HistoryEvent.OfCallback.class);
        if (instance.accepts(event)) {
            feed(draft, event, stored);
        } else if (!(event instanceof CallbackTimedOut)) {
            log.warn(
                    "{} of {} is dropped: its callback had been cancelled or had ended when the run took in the message,"
                            + " although it was open when the message was sent",
                    event.type(),
                    key.shown());
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
        StoredEvent stored = new StoredEvent(
                draft.nextEventId(), message.name(), feedingTime(), message.messageId(), message.payload());
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
        if (message.kind() != MessageKind.CANCEL || asked == null || seen.contains(message.messageId())) {
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

    private void deliverEncoded(TransitionDraft draft, InboxMessage message) {
        List<StoredEvent> all = InboxEvents.notes(message);
        Integer told = noted.remove(message.messageId());
        List<StoredEvent> informing = told == null ? all : all.subList(told, all.size());
        long id = draft.nextEventId() + informing.size();
        StoredEvent stored = new StoredEvent(id, message.name(), feedingTime(), message.messageId(), message.payload());
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
    private void hearOfLocals(TransitionDraft draft) {
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
