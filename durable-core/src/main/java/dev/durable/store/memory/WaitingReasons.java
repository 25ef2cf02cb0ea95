package dev.durable.store.memory;

import dev.durable.client.WaitingReason;
import dev.durable.client.WaitingReason.Kind;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackOpened;
import dev.durable.history.CarriedChild;
import dev.durable.history.ChainLink;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.EventJson;
import dev.durable.history.HistoryEvent;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerFired;
import dev.durable.history.TimerStarted;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowResumed;
import dev.durable.history.WorkflowStarted;
import dev.durable.store.SessionInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells what an open run waits for. In PostgreSQL the function {@code waiting_reasons} does so, in the same words: {@code
 * WhyWaitingTest} compares them.
 */
final class WaitingReasons {
    private final Tables tables;
    private final RunRow run;
    private final Instant now;
    private final List<HistoryEvent> events;
    private final List<WaitingReason> found = new ArrayList<>();

    private WaitingReasons(Tables tables, RunRow run) {
        this.tables = tables;
        this.run = run;
        this.now = tables.now();
        this.events = run.history().stream().map(EventJson::decode).toList();
    }

    /** Returns the reasons; none where there is no such run, or it is closed. */
    static List<WaitingReason> of(Tables tables, UUID runId) {
        RunRow run = tables.runs().findOpen(runId);
        return run == null ? List.of() : new WaitingReasons(tables, run).all();
    }

    private List<WaitingReason> all() {
        WaitingReason whole = whole();
        run.jobs().values().forEach(job -> found.add(new WaitingJob(tables, job, now).reason()));
        timers();
        children();
        callbacks();
        if (found.isEmpty() && hasBegun() && (whole == null || run.hold().paused())) {
            found.add(new WaitingReason(
                    Kind.CONDITION,
                    "a condition",
                    null,
                    null,
                    List.of(),
                    "a signal, an update or the request to cancel",
                    "a condition of its code, as nothing else of the run is open"));
        }
        if (whole != null) {
            found.addFirst(whole);
        }
        return found;
    }

    // ── the run as a whole ───────────────────────────────────────────────────────────────────────────────────────────

    private boolean hasBegun() {
        return ((WorkflowStarted) events.getFirst()).firstTurnDone()
                || events.stream()
                        .anyMatch(event -> !(event instanceof WorkflowStarted)
                                && !(event instanceof WorkflowPaused)
                                && !(event instanceof WorkflowResumed));
    }

    private @Nullable Instant dueSince() {
        Instant wakeAt = run.hold().wakeAt();
        return StoredTimes.earlier(
                wakeAt == null || wakeAt.isAfter(now) ? null : wakeAt,
                run.inbox().waitingSince());
    }

    private @Nullable WaitingReason whole() {
        Hold hold = run.hold();
        List<String> serving = serving(tables, run.start().taskQueue(), session -> isOf(hold.pinnedTo(), session));
        if (hold.paused()) {
            return paused(serving);
        }
        if (hold.stalledBy() != null) {
            return stalled(hold, hold.stalledBy(), serving);
        }
        String owner = hold.ownedUntil() != null && hold.ownedUntil().isAfter(now) ? holder(hold.lastSession()) : null;
        if (owner != null) {
            return of(
                    Kind.RUNNABLE,
                    dueSince(),
                    hold.ownedUntil(),
                    List.of(owner),
                    "the end of its turn",
                    "is claimed by process " + owner + ", which runs its code");
        }
        Instant wakeAt = hold.wakeAt();
        Instant due = dueSince();
        Instant notBefore = hold.notBefore();
        if (notBefore != null && notBefore.isAfter(now)
                || !hasBegun() && due == null && wakeAt != null && wakeAt.isAfter(now)) {
            return delayed(wakeAt == null ? notBefore : StoredTimes.latest(wakeAt, notBefore, null), serving);
        }
        return due == null ? null : due(due, hold.pinnedTo(), serving);
    }

    private static boolean isOf(@Nullable String build, SessionInfo session) {
        return build == null
                || session.served() != null && build.equals(session.served().build());
    }

    private boolean hasType(SessionInfo session) {
        return session.served() == null || session.served().hasType(run.start().type());
    }

    private WaitingReason due(Instant due, @Nullable String pinnedTo, List<String> serving) {
        String taskQueue = run.start().taskQueue();
        String type = run.start().type();
        if (serving.isEmpty()) {
            return of(
                    Kind.UNSERVED,
                    due,
                    null,
                    serving,
                    pinnedTo == null
                            ? "a process that serves the queue"
                            : "a process of that build, or moveTo(build) of its handle",
                    "is due since " + text(due) + " in task queue \"" + taskQueue + "\""
                            + (pinnedTo == null
                                    ? ", which no process serves"
                                    : " and pinned to build \"" + pinnedTo + "\", of which no process serves it"));
        }
        List<String> able = serving(tables, taskQueue, session -> isOf(pinnedTo, session) && hasType(session));
        return able.isEmpty()
                ? of(
                        Kind.UNSERVED,
                        due,
                        null,
                        able,
                        "a process that serves the queue and has the workflow type",
                        "is due since " + text(due) + " in task queue \"" + taskQueue
                                + "\", and of the processes that serve it none has the workflow type " + type + ": "
                                + String.join(", ", serving))
                : of(
                        Kind.RUNNABLE,
                        due,
                        null,
                        able,
                        "a claim by one of them",
                        "is due since " + text(due) + " and waits for a process that serves task queue \"" + taskQueue
                                + "\" and has the workflow type " + type + ": " + String.join(", ", able));
    }

    private WaitingReason paused(List<String> serving) {
        WorkflowPaused pause = events.reversed().stream()
                .filter(WorkflowPaused.class::isInstance)
                .map(WorkflowPaused.class::cast)
                .findFirst()
                .orElse(null);
        return of(
                Kind.PAUSED,
                pause == null ? null : pause.at(),
                null,
                serving,
                "resume() of its handle",
                "is paused"
                        + (pause == null
                                ? ""
                                : " since " + text(pause.at()) + " by " + pause.by() + ": " + pause.reason()));
    }

    private static WaitingReason stalled(Hold hold, String stalledBy, List<String> serving) {
        Instant again = hold.notBefore() == null ? hold.notBeforeForStalled() : hold.notBefore();
        return of(
                Kind.STALLED,
                null,
                again,
                serving,
                "code that fits what was recorded",
                "has stalled " + hold.stalls() + (hold.stalls() == 1 ? " time: " : " times: ") + firstLine(stalledBy)
                        + (again == null ? "" : "; it is tried again at " + text(again)));
    }

    private WaitingReason delayed(@Nullable Instant until, List<String> serving) {
        int attempt = run.record().links().attempt();
        String what = attempt > 1 ? "attempt " + attempt + " of the workflow" : "the first turn";
        return new WaitingReason(
                Kind.DELAYED,
                "the run",
                null,
                until,
                serving,
                attempt > 1 ? "that time" : "that time, or a message",
                what + " is delayed until " + text(until));
    }

    private static WaitingReason of(
            Kind kind,
            @Nullable Instant since,
            @Nullable Instant until,
            List<String> servedBy,
            String endedBy,
            String state) {
        return new WaitingReason(kind, "the run", since, until, servedBy, endedBy, "the run " + state);
    }

    // ── what its history has open ────────────────────────────────────────────────────────────────────────────────────

    private <T extends HistoryEvent> Stream<T> events(Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast);
    }

    private void timers() {
        Set<Integer> over = Stream.concat(
                        events(TimerFired.class).map(TimerFired::seq),
                        events(TimerCancelled.class).map(TimerCancelled::seq))
                .collect(Collectors.toSet());
        events(TimerStarted.class)
                .filter(timer -> !over.contains(timer.seq()) && ownerOf(timer) == null)
                .forEach(timer -> {
                    String what =
                            "timer " + timer.seq() + (timer.summary() == null ? "" : " (" + timer.summary() + ")");
                    found.add(new WaitingReason(
                            Kind.TIMER,
                            what,
                            timer.at(),
                            timer.fireAt(),
                            List.of(),
                            "that time",
                            what + ", due at " + text(timer.fireAt())));
                });
    }

    /** The callback whose timeout the timer is: one that is started behind its opening or its extension. */
    private @Nullable UUID ownerOf(TimerStarted timer) {
        HistoryEvent before = event(timer.id() - 1);
        if (before instanceof TimerCancelled && event(timer.id() - 2) instanceof CallbackExtended extended) {
            return extended.callback();
        }
        if (before instanceof CallbackExtended extended) {
            return extended.callback();
        }
        return before instanceof CallbackOpened opened ? opened.callback() : null;
    }

    private @Nullable HistoryEvent event(long id) {
        return id < 1 || id > events.size() ? null : events.get((int) id - 1);
    }

    private void children() {
        Set<Long> over = events(HistoryEvent.ChildClosed.class)
                .map(HistoryEvent.ChildClosed::number)
                .collect(Collectors.toSet());
        ChainLink chain = ((WorkflowStarted) events.getFirst()).chain();
        (chain == null ? Stream.<CarriedChild>of() : chain.children().stream())
                .filter(child -> child.end() == null && !over.contains(child.number()))
                .forEach(child -> found.add(child(child.workflowId(), child.workflowType(), null)));
        events(ChildStartRequested.class)
                .filter(child -> !over.contains(child.number()))
                .forEach(child -> found.add(child(child.workflowId(), child.workflowType(), child.at())));
    }

    private static WaitingReason child(String workflowId, String type, @Nullable Instant startedAt) {
        String what = "child " + workflowId + " (" + type + ")";
        return new WaitingReason(
                Kind.CHILD,
                what,
                startedAt,
                null,
                List.of(),
                "the end of the child",
                what + (startedAt == null ? ", started by an earlier run" : ", started at " + text(startedAt)));
    }

    private void callbacks() {
        Set<UUID> over = Stream.concat(
                        events(HistoryEvent.CallbackEnded.class).map(HistoryEvent.CallbackEnded::callback),
                        events(CallbackCancelled.class).map(CallbackCancelled::callback))
                .collect(Collectors.toSet());
        Map<UUID, Instant> until = new HashMap<>();
        events(TimerStarted.class).forEach(timer -> {
            UUID callback = ownerOf(timer);
            if (callback != null) {
                until.put(callback, timer.fireAt());
            }
        });
        events(CallbackOpened.class)
                .filter(callback -> !over.contains(callback.callback()))
                .forEach(callback -> {
                    Instant end = until.get(callback.callback());
                    String what = "callback " + callback.number();
                    found.add(new WaitingReason(
                            Kind.OUTSIDE,
                            what,
                            callback.at(),
                            end,
                            List.of(),
                            "the holder of its token",
                            what + ", opened at " + text(callback.at())
                                    + (end == null ? "" : ", which times out at " + text(end))));
                });
    }

    // ── for jobs, too ────────────────────────────────────────────────────────────────────────────────────────────────

    /** The processes that serve the queue, as far as they say. */
    static List<String> serving(Tables tables, String taskQueue) {
        return serving(tables, taskQueue, session -> true);
    }

    private static List<String> serving(Tables tables, String taskQueue, Predicate<SessionInfo> alone) {
        return tables.sessions().list().stream()
                .filter(session -> !session.dead()
                        && (session.served() == null
                                || session.served().queues().contains(taskQueue))
                        && alone.test(session))
                .map(SessionInfo::identity)
                .sorted()
                .toList();
    }

    private @Nullable String holder(@Nullable UUID session) {
        return session == null || !tables.sessions().isAlive(session)
                ? null
                : tables.sessions().identity(session);
    }

    static String text(@Nullable Instant at) {
        return at == null ? "" : at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    static String firstLine(String text) {
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
