package dev.durable.internal.run;

import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackOpened;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.EventJson;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.FailureJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.InboxMessage;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.StoredEvent;
import dev.durable.history.StreamAppended;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerStarted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.VersionRecorded;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.replay.match.Turn;
import dev.durable.store.ClaimedJob;
import dev.durable.store.NewEntry;
import dev.durable.store.NewJob;
import dev.durable.store.Reply;
import dev.durable.store.Transition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transition that is being collected and is not yet written: whole turns of a run with the jobs, consumed messages,
 * log lines and outcomes that belong to them. None of it may become visible before it is written: jobs, logs and
 * results wait here.
 */
final class TransitionDraft {
    private static final Logger log = LoggerFactory.getLogger(TransitionDraft.class);
    /** The number of refusals after which the end of a run is kept. */
    private static final int FORCE_CLOSE_AFTER = 3;

    private final JobBirth birth;
    private final long firstEventId;
    private long nextEventId;
    private final List<StoredEvent> events = new ArrayList<>();
    private final List<Turn> turns = new ArrayList<>();
    private final List<UUID> consumed = new ArrayList<>();
    private final List<Reply> replies = new ArrayList<>();
    private final List<AttemptOutcome> outcomes = new ArrayList<>();
    private final List<Integer> cancelled = new ArrayList<>();
    private final Map<Integer, NewJob> jobs = new LinkedHashMap<>();
    private final List<NewEntry> appends = new ArrayList<>();
    private final OutgoingMessages sends;
    private final List<Runnable> localCalls = new ArrayList<>(0);
    private @Nullable String stallsNext;
    private final List<Runnable> onceWritten = new ArrayList<>();
    private HistoryEvent.@Nullable Closing closing;
    private Transition.@Nullable Close closesAs;
    private int refusals;
    private @Nullable StoredEvent unlessOthers;
    private boolean hasUpdates;
    private boolean endsRun;
    private boolean endedBySender;
    private @Nullable String details;

    /** @param refusals how often drafts before this one were refused the close, or thrown away as they ended too early */
    TransitionDraft(JobBirth birth, OutgoingMessages sends, long firstEventId, int refusals) {
        this.refusals = refusals;
        this.birth = birth;
        this.sends = sends;
        this.firstEventId = firstEventId;
        this.nextEventId = firstEventId;
    }

    long firstEventId() {
        return firstEventId;
    }

    long nextEventId() {
        return nextEventId;
    }

    int size() {
        return events.size();
    }

    boolean isEmpty() {
        return events.isEmpty() && consumed.isEmpty() && outcomes.isEmpty();
    }

    /** Returns whether it has events, as code has made turns. */
    boolean hasEvents() {
        return !events.isEmpty();
    }

    List<StoredEvent> events() {
        return events;
    }

    List<NewJob> jobs() {
        return List.copyOf(jobs.values());
    }

    List<AttemptOutcome> outcomes() {
        return outcomes;
    }

    /**
     * Returns whether it has taken in outcomes, and each has a job; outcomes of local activities are stored nowhere
     * else.
     */
    boolean hasOutcomesOfJobsOnly() {
        return !outcomes.isEmpty() && outcomes.stream().noneMatch(AttemptOutcome::local);
    }

    boolean hasLocalOutcomes() {
        return outcomes.stream().anyMatch(AttemptOutcome::local);
    }

    HistoryEvent.@Nullable Closing closing() {
        return closing;
    }

    /** Takes a message out of the inbox, which became an event or was dropped as known. */
    void consume(InboxMessage message) {
        consumed.add(message.messageId());
        hasUpdates |= message.kind().mayBeRejected();
    }

    /** Returns whether it takes in or answers an update, so that a caller may wait for it. */
    boolean hasUpdates() {
        return hasUpdates || !replies.isEmpty();
    }

    /**
     * Adds the outcome of a job that ended here, which became an event or was dropped, as the run did not wait for it.
     */
    void settle(AttemptOutcome outcome) {
        outcomes.add(outcome);
    }

    /** Adds events that only inform, in front of the outcome with which they travelled. */
    void inform(List<StoredEvent> informing) {
        for (StoredEvent event : informing) {
            events.add(new StoredEvent(nextEventId++, event.type(), event.at(), null, event.attributes()));
        }
    }

    /** Adds an event that only informs; it is left out where any other event is written. */
    void informUnlessOthers(StoredEvent event) {
        unlessOthers = event;
    }

    /** Ends the feeding of this draft. */
    void complete() {
        StoredEvent alone = unlessOthers;
        unlessOthers = null;
        if (alone != null && events.isEmpty()) {
            inform(List.of(alone));
        }
    }

    /**
     * Adds a whole turn.
     *
     * @param event the stored form of its event
     * @return the numbers of activities that were cancelled before they were ever written
     */
    List<Integer> add(Turn turn, StoredEvent event) {
        events.add(event);
        nextEventId++;
        return addCommands(turn);
    }

    /** Adds the commands of a turn whose event is in the history already; returns as {@link #add} does. */
    List<Integer> addCommands(Turn turn) {
        turns.add(turn);
        List<Integer> unborn = new ArrayList<>();
        for (HistoryEvent.Command command : turn.commands()) {
            events.add(EventJson.encode(command));
            switch (command) {
                case ActivityScheduled scheduled -> jobs.put(scheduled.seq(), birth.of(scheduled));
                case ActivityCancelRequested request -> {
                    if (!abort(request.seq(), unborn)) {
                        cancelled.add(request.seq());
                    }
                }
                case ExternalSignalRequested request -> sends.add(request);
                case ExternalCancelRequested request -> sends.add(request);
                case ChildStartRequested request -> sends.add(request);
                case ChildCancelRequested request -> sends.add(request);
                case ChildSignalRequested request -> sends.add(request);
                case ChildStartWatched request -> sends.add(request);
                // These change nothing but the history; the next timer is read from the run's open work.
                case TimerStarted ignored -> {}
                case TimerCancelled ignored -> {}
                case SideEffectRecorded ignored -> {}
                case CallbackOpened ignored -> {}
                case CallbackCancelled ignored -> {}
                case StreamAppended append ->
                    appends.add(new NewEntry(append.stream(), append.value().json()));
                case VersionRecorded ignored -> {}
                case UpdateCompleted completed ->
                    replies.add(new Reply(
                            Reply.idOf(completed.updateId()),
                            Reply.Kind.COMPLETED,
                            completed.result().json()));
                case UpdateFailed failed ->
                    replies.add(new Reply(
                            Reply.idOf(failed.updateId()),
                            Reply.Kind.FAILED,
                            FailureJson.encode(failed.failure()).json()));
            }
        }
        nextEventId += turn.commands().size();
        return unborn;
    }

    /** Returns the messages that its turns have sent to workflows. */
    OutgoingMessages sends() {
        return sends;
    }

    /** Sets the line that says what the run is doing at the end of these turns; null where the code has set none. */
    void details(@Nullable String line) {
        details = line;
    }

    @Nullable
    String details() {
        return details;
    }

    /** Returns whether the run is one background job. */
    boolean isOfBackgroundJob() {
        return birth.isOfBackgroundJob();
    }

    void close(HistoryEvent.Closing event) {
        closing = event;
        events.add(EventJson.encode(event));
        nextEventId = event.id() + 1;
    }

    /** Sets the row's part of the close that is being written. */
    void closesAs(Transition.@Nullable Close close) {
        closesAs = close;
    }

    Transition.@Nullable Close closesAs() {
        return closesAs;
    }

    /**
     * Takes the close off, as a waiting message refused it, so that more turns can follow. Returns the number of
     * refusals so far.
     */
    int reopen() {
        closing = null;
        events.removeLast();
        nextEventId--;
        return ++refusals;
    }

    int refusals() {
        return refusals;
    }

    /** Returns whether the end is kept by now, although messages wait. */
    boolean isEndForced() {
        return refusals >= FORCE_CLOSE_AFTER;
    }

    /** Notes that the run has ended by an event of this draft; its close may still have to wait for clean-up. */
    void endsRun() {
        endsRun = true;
    }

    boolean isEndingRun() {
        return endsRun;
    }

    /** Records whether the event that is fed next came from a sender of messages; ignored once the run has ended. */
    void endedBySender(boolean fromSender) {
        if (!endsRun) {
            endedBySender = fromSender;
        }
    }

    boolean isEndedBySender() {
        return endedBySender;
    }

    /**
     * Begins the activities of a durable transition. This happens on the thread of the commit, so that an activity need
     * not wait until the run's actor has read its mail.
     *
     * @param loggable removes what must not be logged from exceptions
     */
    void begin(UnaryOperator<Throwable> loggable) {
        jobs.values().forEach(job -> alone(() -> birth.start(job), loggable));
        if (stallsNext == null) {
            localCalls.forEach(call -> alone(call, loggable));
        }
        onceWritten.forEach(action -> alone(action, loggable));
        cancelled.forEach(seq -> alone(() -> birth.cancelRequested(seq), loggable));
    }

    /** Runs an action for one activity; its error does not affect the others. */
    private static void alone(Runnable action, UnaryOperator<Throwable> loggable) {
        try {
            action.run();
        } catch (RuntimeException e) {
            log.error(
                    "an activity could not be started or cancelled after its transition was committed",
                    loggable.apply(e));
        }
    }

    /** Makes the rest of the transition visible, on the run's own thread. */
    void written() {
        turns.forEach(Turn::onCommitted);
        outcomes.forEach(AttemptOutcome::settled);
    }

    /** Adds a local activity that begins when the transition is durable; as {@link #onceWritten}. */
    void beginsLocal(Runnable call) {
        localCalls.add(call);
    }

    /** Keeps its local activities from beginning: the run stalls when the draft is written. Null lets them begin. */
    void stallsNext(@Nullable String reason) {
        stallsNext = reason;
    }

    @Nullable
    String stallsNext() {
        return stallsNext;
    }

    /** Adds an action for when the transition is durable; it must be quick, and runs on the thread of the commit. */
    void onceWritten(Runnable action) {
        onceWritten.add(action);
    }

    /** Returns the call of a local activity in the form in which attempts take it. */
    ClaimedJob local(ActivityScheduled call, UUID lease) {
        return birth.local(call, lease);
    }

    /** Releases the reserved slots of a transition that will not be written. */
    void discarded() {
        jobs.values().forEach(birth::cancel);
    }

    List<Transition.Settled> settled() {
        List<Transition.Settled> settled = new ArrayList<>(outcomes.size());
        for (AttemptOutcome outcome : outcomes) {
            if (!outcome.local()) {
                settled.add(outcome.settlement());
            }
        }
        return settled;
    }

    /** Adds the answer to an update that leaves no event. */
    void reply(Reply reply) {
        replies.add(reply);
    }

    List<Reply> replies() {
        return replies;
    }

    /** Returns whether all that its turns have done can be written with the start of the run. */
    boolean fitsStart() {
        return sends.isEmpty() && appends.isEmpty();
    }

    /** Returns the entries that its turns have appended to streams. */
    List<NewEntry> appends() {
        return appends;
    }

    List<UUID> consumed() {
        return consumed;
    }

    List<Integer> cancelled() {
        return cancelled;
    }

    private boolean abort(int seq, List<Integer> unborn) {
        NewJob job = jobs.remove(seq);
        if (job == null) {
            return false;
        }
        birth.cancel(job);
        unborn.add(seq);
        return true;
    }
}
