package dev.durable.internal.run;

import dev.durable.PayloadException;
import dev.durable.UpdateFailedException;
import dev.durable.UpdateRejectedException;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackFailed;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.FailureJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.SignalReceived;
import dev.durable.history.TimerFired;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.internal.replay.match.HungAsideException;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.Reply;
import dev.durable.store.RunKey;
import java.time.Instant;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which of the messages that wait for a run become events of its history: those that the history does not have
 * yet, and of the updates those that the run accepts. It answers the updates that leave no event.
 */
final class MessageJudge {
    private static final Logger log = LoggerFactory.getLogger(MessageJudge.class);
    /** The estimated bytes of one id in a set. */
    private static final int ID_BYTES = 100;

    private final RunKey key;
    private final WorkflowInstance instance;
    /** The ids of messages that the history has or that were answered, and of the answers to accepted updates. */
    private final Set<UUID> seen = new HashSet<>();
    /** The hashes of the news of callbacks that the history has, by their messages. */
    private final Map<UUID, Integer> outcomes = new HashMap<>(0);
    /** The ids of the answers that the run has given to updates. */
    private final Set<UUID> answered = new HashSet<>();
    /** The messages that bring the id of an update again whose answer is not kept any more. */
    private final Set<UUID> tooOld = new HashSet<>(0);

    /** The failures of messages whose judgement was given up by an instance before. */
    private Map<UUID, Failure> givenUp = Map.of();

    /** The updates that were judged ahead and are accepted. */
    private final Set<UUID> acceptedAhead = new HashSet<>(0);

    private RunKey chain;

    MessageJudge(RunKey key, WorkflowInstance instance) {
        this.key = key;
        this.instance = instance;
        this.chain = key;
    }

    /** Notes an event that is in the history. */
    void remember(HistoryEvent event) {
        switch (event) {
            case WorkflowStarted started -> chain = new RunKey(started.chainId(), key.workflowId());
            case SignalReceived signal -> seen.add(signal.messageId());
            case UpdateAccepted update -> {
                seen.add(update.messageId());
                seen.add(Reply.idOf(update.updateId()));
            }
            case WorkflowCancelRequested cancel -> seen.add(cancel.messageId());
            case HistoryEvent.ActivityClosed ignored -> {}
            case HistoryEvent.OfCallback news -> {
                seen.add(news.messageId());
                outcomes.put(news.messageId(), hash(news));
            }
            case HistoryEvent.OfChild ignored -> {}
            case TimerFired ignored -> {}
            case UpdateCompleted update -> answered.add(Reply.idOf(update.updateId()));
            case UpdateFailed update -> answered.add(Reply.idOf(update.updateId()));
            case HistoryEvent.Command ignored -> {}
            case WorkflowForked forked -> chain = new RunKey(forked.chainId(), key.workflowId());
            case HistoryEvent.Informing ignored -> {}
            case HistoryEvent.Closing ignored -> {}
        }
    }

    /** Returns the rough bytes of the ids. */
    long weight() {
        return (long) ID_BYTES * (seen.size() + answered.size() + outcomes.size());
    }

    boolean hasSeen(InboxMessage message) {
        return seen.contains(message.messageId());
    }

    /**
     * Learns which of the updates that wait were answered by a run that this one continues: an id is accepted once in a
     * chain, as long as its answer is kept. Of those that this run has answered itself it learns which answers are not
     * kept any more.
     */
    void learnAnswers(Collection<InboxMessage> messages, Function<List<Reply.Question>, List<Reply.State>> replies) {
        boolean continues = !chain.equals(key);
        if (!continues && answered.isEmpty()) {
            return;
        }
        List<Reply.Question> unknown = messages.stream()
                .filter(message -> message.kind().mayBeRejected() && !hasSeen(message))
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

    /**
     * Returns whether the run has not seen one of these messages, which waits for it and becomes an event for certain: an
     * update may be rejected, and then a turn that waits for the event behind it would wait for ever.
     */
    boolean hasUnseen(Collection<InboxMessage> messages) {
        return messages.stream()
                .anyMatch(message ->
                        FeedingOrder.isFromSender(message) && !message.kind().mayBeRejected() && !hasSeen(message));
    }

    /** Returns whether an update waits that was neither accepted nor answered, so that it is to be judged. */
    boolean hasNewUpdates(Collection<InboxMessage> messages) {
        return messages.stream().anyMatch(this::isNewUpdate);
    }

    private boolean isNewUpdate(InboxMessage message) {
        return message.kind().mayBeRejected()
                && !hasSeen(message)
                && !seen.contains(
                        Reply.idOf(InboxEvents.update(message, 1, Instant.EPOCH).updateId()));
    }

    /**
     * Returns whether none of the messages of senders becomes an event, as they are updates and the run rejects them all.
     * Those that it accepts are not judged again.
     *
     * @param rejected gets these rejections, by message
     */
    boolean acceptsNone(Collection<InboxMessage> messages, Map<UUID, Failure> rejected) {
        Map<UUID, Failure> rejections = new HashMap<>();
        for (InboxMessage message : messages) {
            Failure rejection =
                    isNewUpdate(message) ? rejectionOf(message, InboxEvents.update(message, 1, Instant.EPOCH)) : null;
            if (rejection != null) {
                rejections.put(message.messageId(), rejection);
            } else if (isNewUpdate(message)) {
                acceptedAhead.add(message.messageId());
            }
        }
        boolean none = !hasUnseen(messages)
                && rejections.size()
                        == messages.stream().filter(this::isNewUpdate).count();
        if (none) {
            rejected.putAll(rejections);
        }
        return none;
    }

    /** Answers the updates that wait, of which none becomes an event: the run is over, or has answered them before. */
    void dropUpdates(TransitionDraft draft, Deque<InboxMessage> messages, Instant now) {
        for (InboxMessage message : List.copyOf(messages)) {
            if (message.kind().mayBeRejected()) {
                messages.remove(message);
                draft.consume(message);
                if (accepts(draft, message, now)) {
                    throw new IllegalStateException("update message " + message.messageId() + " is not answered");
                }
            }
        }
    }

    /**
     * Returns whether a message becomes an event: the history does not have it, and it is no update to be rejected.
     *
     * @param draft gets the answer to an update that leaves no event
     * @param now the time of the event
     */
    boolean accepts(TransitionDraft draft, InboxMessage message, Instant now) {
        if (hasSeen(message)) {
            if (message.kind() == MessageKind.CALLBACK && !isOnRecord(message)) {
                draft.onceWritten(() -> log.warn(
                        "{} of {} is dropped: the callback had an outcome before, which holds",
                        Bounds.shown(message.name()),
                        key.shown()));
            }
            return false;
        }
        return switch (message.kind()) {
            case UPDATE -> isAccepted(draft, message, now);
            case SIGNAL, CANCEL, ACTIVITY_OUTCOME, CHILD_OUTCOME, CALLBACK, UNKNOWN -> true;
            case CHILD_START, CHILD_WATCH, CHILD_TERMINATE, PARENT_CLOSED -> true;
        };
    }

    /** Returns whether the message brings the very outcome again that the history has, as its sender does not know that. */
    private boolean isOnRecord(InboxMessage message) {
        Integer recorded = outcomes.get(message.messageId());
        return recorded != null && recorded == hash(message.name(), message.payload());
    }

    /** Returns the hash of the message that brought the news: a run notes of a value whether it could read it. */
    private static int hash(HistoryEvent.OfCallback news) {
        Payload value =
                switch (news) {
                    case CallbackCompleted completed -> completed.result();
                    case CallbackFailed failed -> failed.value();
                    case CallbackTimedOut ignored -> null;
                    case CallbackExtended ignored -> null;
                };
        HistoryEvent.OfCallback sent =
                value == null ? news : new CallbackCompleted(news.id(), news.at(), news.callback(), value);
        return hash(sent.type(), EventJson.attributes(sent));
    }

    private static int hash(String name, String attributes) {
        return 31 * name.hashCode() + attributes.hashCode();
    }

    /** Judges an update; one that is not accepted is answered, and leaves no event. */
    private boolean isAccepted(TransitionDraft draft, InboxMessage message, Instant now) {
        UpdateAccepted sent = InboxEvents.update(message, draft.nextEventId(), now);
        UUID answer = Reply.idOf(sent.updateId());
        if (seen.contains(answer)) {
            if (tooOld.remove(message.messageId())) {
                refuse(draft, message, forgotten(message));
            }
            return false;
        }
        if (instance.hasResult() || instance.isRetried()) {
            refuse(
                    draft,
                    message,
                    instance.nextAttempt() == null
                            ? new Reply(message.messageId(), Reply.Kind.TOO_LATE, null)
                            : notYet(message));
            return false;
        }
        Failure rejection = rejectionOf(message, sent);
        if (rejection != null) {
            refuse(draft, message, rejection(message, rejection));
            return false;
        }
        seen.add(answer);
        return true;
    }

    /** Returns why the update is rejected; null where it is accepted. */
    private @Nullable Failure rejectionOf(InboxMessage message, UpdateAccepted sent) {
        if (acceptedAhead.remove(message.messageId())) {
            return null;
        }
        Failure rejection = instance.rejection(sent);
        if (rejection != null && !instance.isUsable()) {
            throw new GivenUp(message.messageId(), rejection);
        }
        return rejection;
    }

    /**
     * Reads the value with which a callback is completed, and returns the event to feed. A value whose reading was given up
     * before counts as one that can't be read.
     */
    HistoryEvent.CallbackEnded read(InboxMessage message, CallbackCompleted sent) {
        Failure unread = givenUp.get(message.messageId());
        if (unread != null) {
            return new CallbackFailed(sent.id(), sent.at(), sent.callback(), unread, sent.result());
        }
        try {
            return instance.judge(sent);
        } catch (HungAsideException e) {
            throw new GivenUp(
                    message.messageId(),
                    Failure.of(
                            PayloadException.class.getName(),
                            "the reading of the value that completed it was given up: "
                                    + Thrown.of(e).words()));
        }
    }

    /**
     * Rejects those of the waiting updates that were rejected before, or whose judgement was given up; returns
     * whether there is one. It is written before anything else is judged, so that each such update costs its time only once.
     */
    boolean rejectGivenUp(TransitionDraft draft, Deque<InboxMessage> messages, Map<UUID, Failure> givenUp) {
        this.givenUp = givenUp;
        boolean any = false;
        for (InboxMessage message : givenUp.isEmpty() ? List.<InboxMessage>of() : List.copyOf(messages)) {
            Failure why = givenUp.get(message.messageId());
            if (why != null && message.kind().mayBeRejected()) {
                messages.remove(message);
                draft.consume(message);
                refuse(draft, message, rejection(message, why));
                any = true;
            }
        }
        return any;
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
                        "an attempt of the workflow has failed, and the next one has not begun. Send the update again"));
    }

    /** Thrown when the judgement of a message did not return in time: the instance is lost. */
    static final class GivenUp extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final UUID message;
        private final transient Failure rejection;

        GivenUp(UUID message, Failure rejection) {
            super("the judgement of message " + message + " was given up", null, false, false);
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
}
