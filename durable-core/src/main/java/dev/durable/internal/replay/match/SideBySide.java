package dev.durable.internal.replay.match;

import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackOpened;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.SignalReceived;
import dev.durable.history.StreamAppended;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerFired;
import dev.durable.history.TimerStarted;
import dev.durable.history.UpdateAccepted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.VersionRecorded;
import dev.durable.history.WorkflowCancelRequested;
import dev.durable.history.WorkflowStarted;
import dev.durable.internal.text.Bounds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Renders the difference that a stalled run shows: the commands that its history has beside those that the code gave, with
 * the first difference marked. */
final class SideBySide {
    private static final int ROWS_AROUND = 6;
    private static final String NONE = "-";

    private final HistoryEvent.Inbound event;
    private final List<HistoryEvent.Command> recorded;
    private final List<HistoryEvent.Command> given;
    private final List<@Nullable String> lines;

    SideBySide(
            HistoryEvent.Inbound event,
            List<HistoryEvent.Command> recorded,
            List<HistoryEvent.Command> given,
            List<@Nullable String> lines) {
        this.event = event;
        this.recorded = recorded;
        this.given = given;
        this.lines = lines;
    }

    /**
     * @param command the first command that differs; null where the code gave too few
     * @param line the line of that command
     */
    String text(HistoryEvent.@Nullable Command command, @Nullable String line) {
        int differs = given.size();
        List<Row> rows = new ArrayList<>();
        for (int i = Math.max(0, differs - ROWS_AROUND); i < differs; i++) {
            rows.add(new Row(" ", recorded.get(i), describe(given.get(i)), lines.get(i)));
        }
        rows.add(new Row(
                "≠",
                differs < recorded.size() ? recorded.get(differs) : null,
                command == null ? NONE : describe(command),
                line));
        for (int i = differs + 1; i < Math.min(recorded.size(), differs + ROWS_AROUND); i++) {
            rows.add(new Row(" ", recorded.get(i), "", null));
        }
        return "  after event " + event.id() + " " + describe(event) + ":\n\n" + table(rows);
    }

    private record Row(
            String mark,
            HistoryEvent.@Nullable Command history,
            String code,
            @Nullable String line) {
        String id() {
            return history == null ? "" : String.valueOf(history.id());
        }

        String historyText() {
            return history == null ? NONE : describe(history);
        }
    }

    private static String table(List<Row> rows) {
        int left = Math.max(
                "history".length(), width(rows.stream().map(Row::historyText).toList()));
        int right = Math.max("code".length(), width(rows.stream().map(Row::code).toList()));
        String format = "  %1s %6s  %-" + left + "s   %-" + right + "s   %s";
        StringBuilder text = new StringBuilder(
                format.formatted("", "", "history", "code", "").stripTrailing());
        for (Row row : rows) {
            String line = row.line() == null ? "" : row.line();
            text.append('\n')
                    .append(format.formatted(row.mark(), row.id(), row.historyText(), row.code(), line)
                            .stripTrailing());
        }
        return text.append('\n').toString();
    }

    private static int width(List<String> column) {
        return column.stream().mapToInt(String::length).max().orElse(0);
    }

    static String describe(HistoryEvent.Command command) {
        return switch (command) {
            case ActivityScheduled c -> "ActivityScheduled " + c.seq() + " " + c.activity();
            case ActivityCancelRequested c -> "ActivityCancelRequested " + c.seq();
            case TimerStarted c -> "TimerStarted " + c.seq() + " due " + c.fireAt();
            case TimerCancelled c -> "TimerCancelled " + c.seq();
            case SideEffectRecorded c -> "SideEffectRecorded";
            case StreamAppended c -> "StreamAppended to " + c.stream();
            case VersionRecorded c -> "VersionRecorded " + c.changeId() + " " + c.version();
            case ExternalSignalRequested c ->
                "ExternalSignalRequested " + c.number() + " " + c.signal() + " to " + Bounds.shown(c.workflowId());
            case ExternalCancelRequested c ->
                "ExternalCancelRequested " + c.number() + " to " + Bounds.shown(c.workflowId());
            case UpdateCompleted c -> "UpdateCompleted " + c.updateId();
            case UpdateFailed c -> "UpdateFailed " + c.updateId();
            case ChildStartRequested c ->
                "ChildStartRequested " + c.number() + " " + c.workflowType() + " " + Bounds.shown(c.workflowId());
            case ChildCancelRequested c -> "ChildCancelRequested " + c.number() + (c.terminate() ? " terminate" : "");
            case ChildSignalRequested c -> "ChildSignalRequested " + c.number() + " " + c.signal();
            case ChildStartWatched c -> "ChildStartWatched " + c.number();
            case CallbackOpened c -> "CallbackOpened " + c.number();
            case CallbackCancelled c -> "CallbackCancelled " + c.number();
        };
    }

    static String describe(HistoryEvent.Inbound event) {
        return switch (event) {
            case WorkflowStarted e -> e.type();
            case WorkflowCancelRequested e -> e.type();
            case HistoryEvent.ActivityClosed e ->
                e.type() + " " + e.seq()
                        + (e.local() == null ? "" : " " + e.local().activity());
            case TimerFired e -> e.type() + " " + e.seq();
            case SignalReceived e -> e.type() + " " + e.name();
            case UpdateAccepted e -> e.type() + " " + e.name() + " " + e.updateId();
            case HistoryEvent.OfChild e -> e.type() + " " + e.number();
            case HistoryEvent.OfCallback e -> e.type();
        };
    }
}
