package dev.durable.internal.run;

import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerStarted;
import dev.durable.history.VersionRecorded;
import dev.durable.internal.attempt.AttemptOutcome;
import dev.durable.internal.replay.match.Turn;
import dev.durable.store.ClaimedJob;
import dev.durable.store.InboxMessage;
import dev.durable.store.NewJob;
import dev.durable.store.StoredEvent;
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
 * log lines and outcomes that belong to them. Nothing in it may become visible before it is written: jobs, logs,
 * results wait here.
 */
final class TransitionDraft {
    private static final Logger log = LoggerFactory.getLogger(TransitionDraft.class);
    /** After so many refusals the end of a run is kept. */
    private static final int FORCE_CLOSE_AFTER = 3;

    private final JobBirth birth;
    private final long firstEventId;
    private long nextEventId;
    private final List<StoredEvent> events = new ArrayList<>();
    private final List<Turn> turns = new ArrayList<>();
    private final List<UUID> consumed = new ArrayList<>();
    private final List<AttemptOutcome> outcomes = new ArrayList<>();
    private final List<Integer> cancelled = new ArrayList<>();
    private final Map<Integer, NewJob> jobs = new LinkedHashMap<>();
    private final List<Runnable> onceWritten = new ArrayList<>();
    private HistoryEvent.@Nullable Closing closing;
    private int refusals;
    private @Nullable StoredEvent unlessOthers;
    private boolean endsRun;
    private boolean endedBySender;

    /** @param refusals how often drafts before this one were refused the close, or thrown away as they ended too early */
    TransitionDraft(JobBirth birth, long firstEventId, int refusals) {
        this.refusals = refusals;
        this.birth = birth;
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

    List<StoredEvent> events() {
        return events;
    }

    List<NewJob> jobs() {
        return List.copyOf(jobs.values());
    }

    List<AttemptOutcome> outcomes() {
        return outcomes;
    }

    /** Whether it has taken in outcomes, and each has a job: those of local activities are nowhere else. */
    boolean hasOutcomesOfJobsOnly() {
        return !outcomes.isEmpty() && outcomes.stream().noneMatch(AttemptOutcome::local);
    }

    HistoryEvent.@Nullable Closing closing() {
        return closing;
    }

    /** A message that is taken out of the inbox, whether it became an event or was dropped as known. */
    void consume(InboxMessage message) {
        consumed.add(message.messageId());
    }

    /** A job that ended here, whether its outcome became an event or nobody waits for it any more. */
    void settle(AttemptOutcome outcome) {
        outcomes.add(outcome);
    }

    /** Events that only inform, in front of the outcome they travelled with. */
    void inform(List<StoredEvent> informing) {
        for (StoredEvent event : informing) {
            events.add(new StoredEvent(nextEventId++, event.type(), event.at(), null, event.attributes()));
        }
    }

    /** An event that only informs, and is left out where any other is written. */
    void informUnlessOthers(StoredEvent event) {
        unlessOthers = event;
    }

    /** Everything was fed. */
    void complete() {
        StoredEvent alone = unlessOthers;
        unlessOthers = null;
        if (alone != null && events.isEmpty()) {
            inform(List.of(alone));
        }
    }

    /**
     * A whole turn.
     *
     * @param event the text that its event was decoded from
     * @return seqs of activities that were cancelled before they were ever written
     */
    List<Integer> add(Turn turn, StoredEvent event) {
        events.add(event);
        nextEventId++;
        return addCommands(turn);
    }

    /** The commands of a turn whose event is in the history already. */
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
                // These change nothing but the history; the next timer is read from the run's open work.
                case TimerStarted ignored -> {}
                case TimerCancelled ignored -> {}
                case SideEffectRecorded ignored -> {}
                case VersionRecorded ignored -> {}
            }
        }
        nextEventId += turn.commands().size();
        return unborn;
    }

    /** Whether the run is one background job. */
    boolean isOfBackgroundJob() {
        return birth.isOfBackgroundJob();
    }

    /** Ends the run with this transition. */
    void close(HistoryEvent.Closing event) {
        closing = event;
        events.add(EventJson.encode(event));
        nextEventId = event.id() + 1;
    }

    /** The close was refused by a message: it is taken off, for more turns to follow. Gives how often by now. */
    int reopen() {
        closing = null;
        events.removeLast();
        nextEventId--;
        return ++refusals;
    }

    int refusals() {
        return refusals;
    }

    /** Whether its end is kept by now, though messages wait. */
    boolean isEndForced() {
        return refusals >= FORCE_CLOSE_AFTER;
    }

    /** The run has ended by an event of this draft; whether its close can be written with it is another matter. */
    void endsRun() {
        endsRun = true;
    }

    boolean isEndingRun() {
        return endsRun;
    }

    /** Whether the event that is fed next came from a sender of messages; not kept once the run has ended. */
    void endedBySender(boolean fromSender) {
        if (!endsRun) {
            endedBySender = fromSender;
        }
    }

    boolean isEndedBySender() {
        return endedBySender;
    }

    /**
     * The transition is durable: activities begin. On the thread of the commit, as the next activity need not wait until
     * the run has heard of it.
     *
     * @param loggable what goes wrong as it may be logged
     */
    void begin(UnaryOperator<Throwable> loggable) {
        jobs.values().forEach(job -> alone(() -> birth.start(job), loggable));
        onceWritten.forEach(action -> alone(action, loggable));
        cancelled.forEach(seq -> alone(() -> birth.cancelRequested(seq), loggable));
    }

    /** An error with one activity does not affect the others. */
    private static void alone(Runnable action, UnaryOperator<Throwable> loggable) {
        try {
            action.run();
        } catch (RuntimeException e) {
            log.error(
                    "an activity could not be started or cancelled after its transition was committed",
                    loggable.apply(e));
        }
    }

    /** The rest of what becomes visible, on the run's own thread. */
    void written() {
        turns.forEach(Turn::onCommitted);
        outcomes.forEach(AttemptOutcome::settled);
    }

    /** To be done when all of this is durable; quick, and on the thread of the commit. */
    void onceWritten(Runnable action) {
        onceWritten.add(action);
    }

    /** The call of a local activity, as attempts take it. */
    ClaimedJob local(ActivityScheduled call, UUID lease) {
        return birth.local(call, lease);
    }

    /** The transition will not be written: reserved slots are released. */
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
