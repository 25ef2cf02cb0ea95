package dev.durable.internal.replay.call;

import dev.durable.history.ActivityScheduled;
import dev.durable.history.LocalCall;
import dev.durable.history.TimerStarted;
import dev.durable.internal.replay.coroutine.Coroutine;
import dev.durable.internal.replay.coroutine.DurablePromise;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Portion;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The activities and timers that a run has started and that have not ended, by their numbers, which count from 1 in
 * each kind.
 */
public final class OpenWork {
    /** The latest time that stores can keep; a timer that would fire later fires then. */
    private static final Instant END_OF_TIME = Bounds.LATEST;

    private static final int ONE_BYTES = 384;

    private final CurrentTurn journal;
    private final DurableCalls run;
    private final Map<Integer, OpenActivity> activities = new HashMap<>();
    private final Map<Integer, OpenTimer> timers = new HashMap<>();
    private final NavigableSet<OpenTimer> byDue =
            new TreeSet<>(Comparator.comparing((OpenTimer t) -> t.fireAt).thenComparingInt(t -> t.seq));
    private final SequencedMap<Integer, OpenActivity> news = new LinkedHashMap<>();
    /** The bytes of the arguments of activities. */
    private long inputs;

    private @Nullable OpenChildren children;
    private @Nullable OpenCallbacks callbacks;
    private int lastActivity;
    private int lastTimer;

    OpenWork(CurrentTurn journal, DurableCalls run) {
        this.journal = journal;
        this.run = run;
    }

    DurablePromise<@Nullable Object> newPromise() {
        return new DurablePromise<>(run);
    }

    CurrentTurn journal() {
        return journal;
    }

    // ── commands ────────────────────────────────────────────────────────────────────────────────────────────────────

    OpenActivity schedule(Coroutine by, ActivityCall call, String taskQueue) {
        int seq = ++lastActivity;
        boolean local = call.options().local() && !hasJob(seq, call);
        ActivityScheduled scheduled = local ? localCall(seq, call) : command(seq, call, taskQueue);
        OpenActivity activity = new OpenActivity(call, this, by, scheduled, local);
        activities.put(seq, activity);
        inputs += Portion.heapBytes(call.input().json());
        if (local) {
            tellWorker(activity);
        }
        return activity;
    }

    private ActivityScheduled localCall(int seq, ActivityCall call) {
        return new ActivityScheduled(
                0, journal.now(), seq, call.name(), run.started().taskQueue(), call.input(), call.options());
    }

    private ActivityScheduled command(int seq, ActivityCall call, String taskQueue) {
        String name = recordedName(call);
        return journal.put(
                (id, at) -> new ActivityScheduled(id, at, seq, name, taskQueue, call.input(), call.options()));
    }

    /** Returns whether the history has a job for this call, which is local now and was not when it was recorded. */
    private boolean hasJob(int seq, ActivityCall call) {
        return journal.expected() instanceof ActivityScheduled recorded
                && recorded.seq() == seq
                && recorded.activity().equals(recordedName(call));
    }

    /**
     * Returns the recorded activity of the next call, if it has one of these names; null where the call is new, or is
     * local.
     */
    @Nullable
    ActivityScheduled recordedNext(List<String> names) {
        return journal.expected() instanceof ActivityScheduled recorded
                        && recorded.seq() == lastActivity + 1
                        && names.contains(recorded.activity())
                ? recorded
                : null;
    }

    /** Notes that a local activity was called or cancelled, which the worker gets after the turn. */
    void tellWorker(OpenActivity local) {
        news.put(local.seq, local);
    }

    /**
     * Returns the local activities that the worker has not got yet, in the order of the calls, without those that are
     * over.
     */
    public List<LocalWork> localNews() {
        List<LocalWork> told = unheard();
        news.clear();
        return told;
    }

    /** Returns those local activities, and keeps them for {@link #localNews}. */
    public List<LocalWork> unheard() {
        if (news.isEmpty()) {
            return List.of();
        }
        List<LocalWork> told = new ArrayList<>(news.size());
        for (OpenActivity activity : news.values()) {
            if (activity.local() != null) {
                told.add(new LocalWork(activity.local(), activity.isToStop()));
            }
        }
        return told;
    }

    /** Returns the recorded name of an activity, which may be an alias from before it was renamed. */
    private String recordedName(ActivityCall call) {
        return journal.expected() instanceof ActivityScheduled recorded
                        && call.aliases().contains(recorded.activity())
                ? recorded.activity()
                : call.name();
    }

    /** Returns the number of timers that were started so far. */
    int timers() {
        return lastTimer;
    }

    OpenTimer start(Coroutine by, Duration duration) {
        return start(by, duration, null);
    }

    OpenTimer start(Coroutine by, Duration duration, @Nullable String summary) {
        return start(by, by.isShielded(), duration, summary);
    }

    /** Starts a timer that is cancelled with the coroutine, unless it is shielded. */
    OpenTimer start(Coroutine by, boolean shielded, Duration duration, @Nullable String summary) {
        String line = summary == null ? null : Bounds.line(summary);
        int seq = ++lastTimer;
        Instant due = due(journal.now(), duration);
        TimerStarted started = journal.put((id, at) -> new TimerStarted(id, at, seq, due, line));
        OpenTimer timer = new OpenTimer(started, new DurablePromise<>(run), this, by, shielded);
        timers.put(seq, timer);
        byDue.add(timer);
        return timer;
    }

    /** Returns the due time, to the microsecond, as stores keep it, and never early. */
    private static Instant due(Instant now, Duration duration) {
        try {
            Instant exact = now.plus(duration);
            Instant due = exact.truncatedTo(ChronoUnit.MICROS);
            Instant notEarly = due.equals(exact) ? due : due.plus(1, ChronoUnit.MICROS);
            return notEarly.isAfter(END_OF_TIME) ? END_OF_TIME : notEarly;
        } catch (DateTimeException | ArithmeticException e) {
            return END_OF_TIME;
        }
    }

    // ── incoming outcomes ────────────────────────────────────────────────────────────────────────────────────────────

    /** Returns whether an outcome of this activity, local or not, can be fed. */
    boolean isActivityOpen(int seq, @Nullable LocalCall call) {
        OpenActivity open = activities.get(seq);
        if (open == null || (open.local() == null) != (call == null)) {
            return false;
        }
        return call == null
                || open.call.name().equals(call.activity())
                || open.call.aliases().contains(call.activity());
    }

    /** Returns whether the recorded call of a local activity is the one that the code makes. */
    public boolean hasInput(int seq, LocalCall call) {
        OpenActivity open = activities.get(seq);
        return open != null && open.call.input().equals(call.input());
    }

    boolean isTimerOpen(int seq) {
        return timers.containsKey(seq);
    }

    /** Takes the open activity out, as it is open no longer. */
    OpenActivity takeActivity(int seq) {
        news.remove(seq);
        OpenActivity taken = Objects.requireNonNull(activities.remove(seq), "no such activity is open");
        inputs -= Portion.heapBytes(taken.call.input().json());
        return taken;
    }

    void fire(int seq) {
        OpenTimer timer = Objects.requireNonNull(timers.get(seq), "no such timer is open");
        close(timer);
        timer.fired();
    }

    /** Closes the timer; returns whether it was open until now. */
    boolean close(OpenTimer timer) {
        byDue.remove(timer);
        return timers.remove(timer.seq, timer);
    }

    // ── open operations ──────────────────────────────────────────────────────────────────────────────────────────────

    /** Returns the open activities, cancelled or not. */
    List<OpenActivity> activities() {
        return activities.values().stream()
                .sorted(Comparator.comparingInt(activity -> activity.seq))
                .toList();
    }

    boolean hasActivities() {
        return !activities.isEmpty();
    }

    /** Returns whether an activity was cancelled whose body is to be stopped, and has not ended yet. */
    boolean hasStoppingActivities() {
        return activities.values().stream().anyMatch(OpenActivity::isToStop);
    }

    /** Returns whether an activity or a cancelled child is open whose outcome the run must get before it closes. */
    boolean hasAwaitedActivity() {
        return activities.values().stream().anyMatch(OpenActivity::isAwaited)
                || !children().awaited().isEmpty();
    }

    OpenChildren children() {
        return Objects.requireNonNull(children);
    }

    void children(OpenChildren ofRun) {
        children = ofRun;
    }

    public OpenCallbacks callbacks() {
        return Objects.requireNonNull(callbacks);
    }

    void callbacks(OpenCallbacks ofRun) {
        callbacks = ofRun;
    }

    @Nullable
    public Instant nextTimer() {
        return byDue.isEmpty() ? null : byDue.first().fireAt;
    }

    /** Returns the timer that is due first; null without one. */
    public @Nullable TimerDue firstTimer() {
        return byDue.isEmpty() ? null : new TimerDue(byDue.first().seq, byDue.first().fireAt);
    }

    /** Returns the open timer with this number; null where it is not open. */
    @Nullable
    OpenTimer timer(int seq) {
        return timers.get(seq);
    }

    public List<TimerDue> due(Instant now) {
        return byDue.stream()
                .takeWhile(timer -> !timer.fireAt.isAfter(now))
                .map(timer -> new TimerDue(timer.seq, timer.fireAt))
                .toList();
    }

    /** Returns roughly how many bytes the operations take. */
    public long weight() {
        return inputs
                + children().weight()
                + callbacks().weight()
                + (long) ONE_BYTES * (activities.size() + timers.size());
    }
}
