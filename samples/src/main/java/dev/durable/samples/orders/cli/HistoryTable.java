package dev.durable.samples.orders.cli;

import dev.durable.history.ActivityAbandoned;
import dev.durable.history.ActivityAttemptFailed;
import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityCancelled;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.ActivityOperated;
import dev.durable.history.ActivityOptionsUpdated;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.ActivityTimeoutUpdated;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackCompleted;
import dev.durable.history.CallbackExtended;
import dev.durable.history.CallbackFailed;
import dev.durable.history.CallbackOpened;
import dev.durable.history.CallbackTimedOut;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildCancelled;
import dev.durable.history.ChildCompleted;
import dev.durable.history.ChildFailed;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartFailed;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ChildStarted;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.Failure;
import dev.durable.history.FirstTurnStarted;
import dev.durable.history.History;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentRaised;
import dev.durable.history.IncidentResolved;
import dev.durable.history.Payload;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.SignalReceived;
import dev.durable.history.StreamAppended;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerFired;
import dev.durable.history.TimerStarted;
import dev.durable.history.UnknownEvent;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.VersionRecorded;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowForked;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowResumed;
import dev.durable.history.WorkflowStarted;
import dev.durable.history.WorkflowTerminated;
import dev.durable.history.WorkflowTimedOut;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A history as people read it: one event a line. The events are sealed, so the compiler knows when one is missing. */
final class HistoryTable {
    private static final int WIDEST = 100;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

    private final Map<Integer, String> activities = new HashMap<>();

    private HistoryTable() {}

    static Table of(History history) {
        HistoryTable names = new HistoryTable();
        Table table = new Table("#", "UTC", "event", "what");
        for (HistoryEvent event : history) {
            table.row(event.id(), time(event.at()), event.type(), shortened(names.what(event)));
        }
        return table;
    }

    private String what(HistoryEvent event) {
        return switch (event) {
            case WorkflowStarted e -> e.workflowType() + " " + e.input().json();
            case ActivityScheduled e -> scheduled(e);
            case ActivityCompleted e -> name(e.seq()) + result(e.result()) + " (attempt " + e.attempt() + ")";
            case ActivityAttemptFailed e ->
                name(e.seq()) + " attempt " + e.attempt() + ", " + e.reason() + ": " + message(e.failure());
            case ActivityFailed e -> name(e.seq()) + ": " + message(e.failure());
            case ActivityTimedOut e -> name(e.seq()) + " " + e.timeout();
            case ActivityTimeoutUpdated e -> name(e.seq()) + " until " + time(e.newDeadline());
            case IncidentRaised e ->
                name(e.seq()) + " " + e.kind() + " after attempt " + e.attempt() + ", " + e.reason() + ": "
                        + (e.failure() == null ? e.crashes() + " crashes" : message(e.failure()));
            case IncidentResolved e -> name(e.seq()) + " " + e.resolution() + ", by " + e.by();
            case ActivityOptionsUpdated e -> name(e.seq()) + " other options, by " + e.by();
            case ActivityOperated e -> name(e.seq()) + " " + e.action() + ", by " + e.by();
            case ActivityAbandoned e -> name(e.seq()) + " open at attempt " + e.attempt();
            case ActivityCancelRequested e -> name(e.seq());
            case ActivityCancelled e -> name(e.seq());
            case TimerStarted e -> "timer " + e.seq() + " until " + time(e.fireAt()) + summary(e.summary());
            case TimerFired e -> "timer " + e.seq();
            case TimerCancelled e -> "timer " + e.seq();
            case SignalReceived e -> e.name() + " " + e.input().json();
            case UpdateAccepted e -> e.name() + " " + e.input().json();
            case UpdateCompleted e -> e.result().json();
            case UpdateFailed e -> message(e.failure());
            case ChildStartRequested e ->
                "child " + e.number() + " " + e.workflowType() + " " + e.workflowId()
                        + summary(e.options().summary());
            case ChildCancelRequested e -> "child " + e.number() + ": " + e.reason();
            case ChildSignalRequested e ->
                "child " + e.number() + " " + e.signal() + " " + e.input().json();
            case ChildStartWatched e -> "child " + e.number();
            case ChildStarted e -> "child " + e.number();
            case ChildCompleted e -> "child " + e.number() + " " + e.result().json();
            case ChildFailed e -> "child " + e.number() + " " + e.status();
            case ChildCancelled e -> "child " + e.number();
            case ChildStartFailed e -> "child " + e.number() + ": " + e.reason();
            case CallbackOpened e -> "callback " + e.number();
            case CallbackCancelled e -> "callback " + e.number();
            case CallbackCompleted e -> e.result().json();
            case CallbackFailed e -> message(e.failure());
            case CallbackTimedOut e -> "";
            case CallbackExtended e -> "by " + e.time();
            case SideEffectRecorded e -> e.value().json();
            case StreamAppended e -> e.stream() + " " + e.value().json();
            case VersionRecorded e -> e.changeId() + " " + e.version();
            case ExternalSignalRequested e -> e.signal() + " " + e.input().json() + " to " + e.workflowId();
            case ExternalCancelRequested e -> e.workflowId() + ": " + e.reason();
            case WorkflowCompleted e -> e.result().json();
            case WorkflowFailed e -> message(e.failure());
            case WorkflowCancelRequested e -> e.reason() + ", by " + e.by();
            case WorkflowCancelled e -> e.reason();
            case WorkflowTerminated e -> e.reason() + ", by " + e.by();
            case WorkflowContinuedAsNew e -> "as " + e.workflowType() + ", run " + e.nextRunId();
            case WorkflowTimedOut e -> "";
            case FirstTurnStarted e -> "";
            case WorkflowForked e ->
                "from run " + e.fromRunId() + ", by " + e.by() + (e.reason() == null ? "" : ": " + e.reason());
            case WorkflowPaused e -> e.reason() + ", by " + e.by();
            case WorkflowResumed e -> "by " + e.by();
            case UnknownEvent e -> "written by a newer version";
        };
    }

    private String scheduled(ActivityScheduled event) {
        activities.put(event.seq(), event.activity());
        return event.activity() + summary(event.options().summary()) + " "
                + event.input().json();
    }

    private static String summary(@Nullable String summary) {
        return summary == null ? "" : " (" + summary + ")";
    }

    private String name(int seq) {
        return activities.getOrDefault(seq, "activity " + seq);
    }

    private static String result(Payload result) {
        return result.equals(Payload.NULL) ? "" : " = " + result.json();
    }

    private static String message(@Nullable Failure failure) {
        return failure == null ? "" : String.valueOf(failure.message());
    }

    private static String time(Instant instant) {
        return TIME.format(instant);
    }

    private static String shortened(String what) {
        return what.length() <= WIDEST ? what : what.substring(0, WIDEST - 1) + "…";
    }
}
