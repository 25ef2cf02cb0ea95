package dev.durable.internal.replay.match;

import dev.durable.history.ActivityCancelRequested;
import dev.durable.history.ActivityScheduled;
import dev.durable.history.CallbackCancelled;
import dev.durable.history.CallbackOpened;
import dev.durable.history.ChildCancelRequested;
import dev.durable.history.ChildOptionsJson;
import dev.durable.history.ChildSignalRequested;
import dev.durable.history.ChildStartRequested;
import dev.durable.history.ChildStartWatched;
import dev.durable.history.ExternalCancelRequested;
import dev.durable.history.ExternalSignalRequested;
import dev.durable.history.HistoryEvent;
import dev.durable.history.OptionsJson;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.StreamAppended;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerStarted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.VersionRecorded;
import dev.durable.internal.text.Bounds;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the likely cause of a {@link Divergence} and the code that mends it, for the error message. Where the very
 * code that made the history gives other commands, no deployment is the cause: then the advice lists what makes code
 * give other commands each time.
 */
public final class DivergenceAdvice {
    private static final int SHOWN = 160;

    /** The usual causes why one code gives other commands each time. */
    public static final String UNSTEADY = """
            The history was made by this very code, a moment ago: the code gives something else each time it runs.
            Usual causes, the most frequent first:
              the machine's clock, Math.random, UUID.randomUUID: use Durable.now(), random() and uuid();
              the order of a HashSet or HashMap of objects without a hashCode of their own, of Set.of or Map.of: use a List or LinkedHashMap;
              state that outlives the run: static fields, singletons, caches, environment and files: pass it in, or ask for it by an activity or Durable.sideEffect;
              threads: executors, parallel streams, CompletableFuture: use Durable.async;
              a @Query method (or a condition) that changes state, which no history has: let it only read.
            """;

    /** The advice that needs no deployment, where the history was made elsewhere. */
    private static final String QUERY =
            "Or a query changed state of the run in memory (a @Query method that takes from a"
                    + " list, for example), and the history was made by that: let @Query methods only read.\n";

    private DivergenceAdvice() {}

    /**
     * @param left the commands of the history from the difference on
     * @param code the first command of the code that differs; null where it gave too few
     * @param blocked the waits of the code
     * @param sameCode whether the history was made by this very code
     */
    static String of(
            List<HistoryEvent.Command> left,
            HistoryEvent.@Nullable Command code,
            List<PendingWait> blocked,
            boolean sameCode) {
        if (sameCode) {
            return unsteady(left, code, blocked);
        }
        return ofOtherCode(left, code, blocked) + QUERY;
    }

    private static String ofOtherCode(
            List<HistoryEvent.Command> left, HistoryEvent.@Nullable Command code, List<PendingWait> blocked) {
        if (code == null) {
            return missing(left.getFirst(), blocked);
        }
        if (left.isEmpty()) {
            return added(code, "the end of this turn")
                    + "\nOr the history was cut inside a turn: it can only be replayed to the end of one.\n";
        }
        HistoryEvent.Command history = left.getFirst();
        if (Comparison.same(code, history)) {
            return otherText(code, history);
        }
        if (left.stream().skip(1).anyMatch(later -> call(later).equals(call(code)))) {
            return missing(history, List.of())
                    + "Or the two changed places: keep the order in which this run made them.\n";
        }
        return added(code, call(history)) + renamed(code, history);
    }

    private static String unsteady(
            List<HistoryEvent.Command> left, HistoryEvent.@Nullable Command code, List<PendingWait> blocked) {
        if (code != null && !left.isEmpty() && Comparison.same(code, left.getFirst())) {
            return otherInput(code, left.getFirst()) + UNSTEADY;
        }
        return (blocked.isEmpty() ? "" : "It has stopped here:" + stopped(blocked) + "\n") + UNSTEADY;
    }

    private static String stopped(List<PendingWait> blocked) {
        return blocked.stream()
                .map(wait -> "\n  " + wait.coroutine() + " waits for " + wait.what()
                        + (wait.line() == null ? "" : " at " + wait.line()))
                .collect(Collectors.joining());
    }

    private static String missing(HistoryEvent.Command history, List<PendingWait> blocked) {
        String waiting = stopped(blocked);
        return "Likely cause: the code no longer makes the call " + call(history)
                + ", or makes it later, or a branch in"
                + " front of it went the other way." + (waiting.isEmpty() ? "" : " It has stopped here:" + waiting)
                + "\nWay out: keep the call for runs that have made it:\n\n    if (Durable.version(\""
                + changeId(history)
                + "\", 0, 1) == 0) {\n        …  // the code as it was, with " + call(history) + "\n    }\n";
    }

    private static String added(HistoryEvent.Command code, String where) {
        return "Likely cause: the call " + call(code) + " was added in front of " + where
                + " after this run had passed here.\nWay out: make it only in runs that had not come here yet:\n\n"
                + "    if (Durable.version(\"" + changeId(code) + "\", 0, 1) == 1) {\n        …  // the new code, with "
                + call(code) + "\n    }\n";
    }

    private static String renamed(HistoryEvent.Command code, HistoryEvent.Command history) {
        if (!(code instanceof ActivityScheduled now) || !(history instanceof ActivityScheduled then)) {
            return "";
        }
        return "Or " + then.activity() + " was renamed: @Activity(aliases = \"" + then.activity() + "\") on "
                + now.activity() + " keeps the name valid that it has in histories.\n";
    }

    private static String otherText(HistoryEvent.Command code, HistoryEvent.Command history) {
        return otherInput(code, history)
                + "Likely cause: it is computed from something that is not the same on replay: the"
                + " machine's clock, Math.random, UUID.randomUUID, the order of a HashMap or HashSet, a static field, or an"
                + " object that was changed after it was handed over. Use Durable.now(), random() and uuid(), and collections"
                + " with an order.\nOr it was changed on purpose: then Durable.version(\"" + changeId(code)
                + "\", 0, 1) tells apart the runs that have made the call.\nWorkers only count such differences and go on with"
                + " what the history has; tests and Replayer refuse them.\n";
    }

    private static String otherInput(HistoryEvent.Command code, HistoryEvent.Command history) {
        String then = text(history);
        String now = text(code);
        int from = Math.max(0, firstDifference(then, now) - SHOWN / 4);
        return "The call is the same, but not what it is given:\n    history: " + shown(then, from) + "\n    code:    "
                + shown(now, from) + "\n";
    }

    /** Returns the call behind a command, in the words of the API. */
    private static String call(HistoryEvent.Command command) {
        return switch (command) {
            case ActivityScheduled c -> c.activity();
            case TimerStarted c -> "Durable.sleep (or timer, or a wait with a timeout)";
            case SideEffectRecorded c -> "Durable.sideEffect";
            case StreamAppended c -> "append to stream " + c.stream();
            case VersionRecorded c -> "Durable.version(\"" + c.changeId() + "\", …)";
            case ExternalSignalRequested c -> "signal " + c.signal() + " to workflow " + Bounds.shown(c.workflowId());
            case ExternalCancelRequested c -> "cancel of workflow " + Bounds.shown(c.workflowId());
            case ActivityCancelRequested c -> "cancel() of the promise of activity " + c.seq();
            case TimerCancelled c -> "cancel() of timer " + c.seq();
            case UpdateCompleted c -> "return of the handler of update " + c.updateId();
            case UpdateFailed c -> "exception of the handler of update " + c.updateId();
            case ChildStartRequested c -> "startChild of " + c.workflowType();
            case ChildCancelRequested c -> "cancel() of child " + c.number();
            case ChildSignalRequested c -> "signal " + c.signal() + " to child " + c.number();
            case ChildStartWatched c -> "started() of child " + c.number();
            case CallbackOpened c -> "Durable.callback";
            case CallbackCancelled c -> "cancel() of the promise of callback " + c.number();
        };
    }

    private static String changeId(HistoryEvent.Command command) {
        return switch (command) {
            case ActivityScheduled c ->
                c.activity()
                        .replaceAll("([a-z0-9])([A-Z])", "$1-$2")
                        .replaceAll("[^A-Za-z0-9]+", "-")
                        .toLowerCase(Locale.ROOT);
            case TimerStarted c -> "timer-" + c.seq();
            case SideEffectRecorded c -> afterEvent(c);
            case StreamAppended c -> afterEvent(c);
            case VersionRecorded c -> afterEvent(c);
            case ExternalSignalRequested c -> "signal-" + c.number();
            case ExternalCancelRequested c -> "cancel-" + c.number();
            case ActivityCancelRequested c -> afterEvent(c);
            case TimerCancelled c -> afterEvent(c);
            case UpdateCompleted c -> afterEvent(c);
            case UpdateFailed c -> afterEvent(c);
            case ChildStartRequested c -> "child-" + c.number();
            case ChildCancelRequested c -> afterEvent(c);
            case ChildSignalRequested c -> afterEvent(c);
            case ChildStartWatched c -> afterEvent(c);
            case CallbackOpened c -> "callback-" + c.number();
            case CallbackCancelled c -> afterEvent(c);
        };
    }

    private static String afterEvent(HistoryEvent.Command command) {
        return "change-after-event-" + (command.id() - 1);
    }

    /** Returns a command with its values; only a strict comparison, as in tests, comes here. */
    private static String text(HistoryEvent.Command command) {
        return switch (command) {
            case ActivityScheduled c ->
                c.input().json() + " on queue " + c.taskQueue() + " with " + OptionsJson.encode(c.options());
            case TimerStarted c -> "due " + c.fireAt();
            case SideEffectRecorded c -> c.toString();
            case StreamAppended c -> c.value().json();
            case VersionRecorded c -> c.toString();
            case ExternalSignalRequested c -> c.input().json();
            case ExternalCancelRequested c -> "reason " + Bounds.quoted(c.reason());
            case ActivityCancelRequested c -> c.toString();
            case TimerCancelled c -> c.toString();
            case UpdateCompleted c -> c.result().json();
            case UpdateFailed c -> c.failure().typeAndMessage();
            case ChildStartRequested c ->
                c.input().json() + " on queue " + c.taskQueue() + " with " + ChildOptionsJson.encode(c.options());
            case ChildCancelRequested c -> "reason " + Bounds.quoted(c.reason());
            case ChildSignalRequested c -> c.input().json();
            case ChildStartWatched c -> c.toString();
            case CallbackOpened c -> "callback " + c.number();
            case CallbackCancelled c -> "callback " + c.number();
        };
    }

    private static int firstDifference(String a, String b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            if (a.charAt(i) != b.charAt(i)) {
                return i;
            }
        }
        return common;
    }

    static String shown(String text, int from) {
        int to = Math.min(text.length(), from + SHOWN);
        return (from > 0 ? "…" : "") + text.substring(from, to) + (to < text.length() ? "…" : "");
    }
}
