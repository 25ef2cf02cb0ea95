package dev.durable.internal.replay.match;

import dev.durable.UsageException;
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
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.LocalCall;
import dev.durable.history.SideEffectRecorded;
import dev.durable.history.StreamAppended;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerStarted;
import dev.durable.history.UpdateCompleted;
import dev.durable.history.UpdateFailed;
import dev.durable.history.VersionRecorded;
import dev.durable.history.WorkflowCancelled;
import dev.durable.history.WorkflowCompleted;
import dev.durable.history.WorkflowContinuedAsNew;
import dev.durable.history.WorkflowFailed;
import dev.durable.history.WorkflowTerminated;
import dev.durable.history.WorkflowTimedOut;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a command of the code matches the recorded one, and creates the {@link Divergence} where it does not.
 */
public final class Comparison {
    private final String run;
    private final UserLines lines;
    private final boolean strict;
    private final boolean sameCode;
    private final Supplier<List<PendingWait>> waits;
    private int otherTexts;

    /**
     * @param run its name in errors
     * @param strict whether a different input, duration or option is a divergence
     * @param sameCode whether histories were made by this very code
     * @param waits the waits of the code, shown where it gave too few commands
     */
    public Comparison(
            String run, UserLines lines, boolean strict, boolean sameCode, Supplier<List<PendingWait>> waits) {
        this.sameCode = sameCode;
        this.run = run;
        this.lines = lines;
        this.strict = strict;
        this.waits = waits;
    }

    static boolean same(HistoryEvent.Command code, HistoryEvent.Command history) {
        return switch (code) {
            case ActivityScheduled c ->
                history instanceof ActivityScheduled h
                        && c.seq() == h.seq()
                        && c.activity().equals(h.activity());
            case ActivityCancelRequested c -> history instanceof ActivityCancelRequested h && c.seq() == h.seq();
            case TimerStarted c -> history instanceof TimerStarted h && c.seq() == h.seq();
            case TimerCancelled c -> history instanceof TimerCancelled h && c.seq() == h.seq();
            case SideEffectRecorded c -> history instanceof SideEffectRecorded;
            case StreamAppended c ->
                history instanceof StreamAppended h && c.stream().equals(h.stream());
            case VersionRecorded c ->
                history instanceof VersionRecorded h && c.changeId().equals(h.changeId());
            case ExternalSignalRequested c ->
                history instanceof ExternalSignalRequested h
                        && c.number() == h.number()
                        && c.workflowId().equals(h.workflowId())
                        && c.signal().equals(h.signal());
            case ExternalCancelRequested c ->
                history instanceof ExternalCancelRequested h
                        && c.number() == h.number()
                        && c.workflowId().equals(h.workflowId());
            case UpdateCompleted c ->
                history instanceof UpdateCompleted h && c.updateId().equals(h.updateId());
            case UpdateFailed c ->
                history instanceof UpdateFailed h && c.updateId().equals(h.updateId());
            case ChildStartRequested c ->
                history instanceof ChildStartRequested h
                        && c.number() == h.number()
                        && c.message() == h.message()
                        && c.workflowId().equals(h.workflowId())
                        && c.workflowType().equals(h.workflowType());
            case ChildCancelRequested c ->
                history instanceof ChildCancelRequested h
                        && c.number() == h.number()
                        && c.message() == h.message()
                        && c.terminate() == h.terminate();
            case ChildSignalRequested c ->
                history instanceof ChildSignalRequested h
                        && c.number() == h.number()
                        && c.message() == h.message()
                        && c.signal().equals(h.signal());
            case CallbackOpened c -> history instanceof CallbackOpened h && c.number() == h.number();
            case CallbackCancelled c -> history instanceof CallbackCancelled h && c.number() == h.number();
            case ChildStartWatched c ->
                history instanceof ChildStartWatched h && c.number() == h.number() && c.message() == h.message();
        };
    }

    /**
     * Returns whether the same command also has the same values; of a failure these are its type and message. Summaries
     * are for people and are not compared.
     */
    public static boolean sameText(HistoryEvent.Command code, HistoryEvent.Command history) {
        return code instanceof UpdateFailed c && history instanceof UpdateFailed h
                ? sameFailure(c.failure(), h.failure())
                : code.equals(history) || withoutSummary(code).equals(withoutSummary(history));
    }

    private static HistoryEvent.Command withoutSummary(HistoryEvent.Command command) {
        return switch (command) {
            case ActivityScheduled e
            when e.options().summary() != null ->
                new ActivityScheduled(
                        e.id(),
                        e.at(),
                        e.seq(),
                        e.activity(),
                        e.taskQueue(),
                        e.input(),
                        e.options().withSummary(null));
            case ChildStartRequested e
            when e.options().summary() != null -> e.withOptions(e.options().summary(null));
            case TimerStarted e when e.summary() != null -> new TimerStarted(e.id(), e.at(), e.seq(), e.fireAt());
            default -> command;
        };
    }

    /** Returns whether an input, duration or option that differs is refused; counts it where it is not. */
    public boolean refusesOtherText() {
        if (!strict) {
            otherTexts++;
        }
        return strict;
    }

    public int otherTexts() {
        return otherTexts;
    }

    /**
     * Returns the line that gives a command; finding it takes a microsecond or two, so it is done only where tests want
     * to see all lines.
     */
    @Nullable
    String lineIfStrict() {
        return strict ? lines.here() : null;
    }

    /**
     * @param given the commands that matched so far
     * @param givenLines their lines, as far as known
     * @param command the first command that does not match; null where the code gave too few
     */
    Divergence divergence(
            HistoryEvent.Inbound event,
            List<HistoryEvent.Command> recorded,
            List<HistoryEvent.Command> given,
            List<@Nullable String> givenLines,
            HistoryEvent.@Nullable Command command) {
        String line = command == null ? null : lines.here();
        HistoryEvent.Command expected = given.size() < recorded.size() ? recorded.get(given.size()) : null;
        String table = new SideBySide(event, recorded, given, givenLines).text(command, line);
        List<PendingWait> blocked = command == null ? waits.get() : List.of();
        String advice =
                DivergenceAdvice.of(recorded.subList(given.size(), recorded.size()), command, blocked, sameCode);
        return new Divergence(
                run + ": the code gives other commands than the history of this run has.\n\n" + table + "\n" + advice,
                event,
                command,
                expected,
                line);
    }

    /** Describes an outcome in the history of an operation that the code has not started, or that is over. */
    public Divergence unexpected(HistoryEvent.Inbound event) {
        return new Divergence(
                run + ": the history goes on with event " + event.id() + " " + SideBySide.describe(event)
                        + ", and for the code nothing of that kind and number is open."
                        + (sameCode
                                ? waiting() + "\n" + DivergenceAdvice.UNSTEADY
                                : "\nLikely cause: "
                                        + (event instanceof HistoryEvent.ActivityClosed closed && closed.local() != null
                                                ? "the code no longer makes this local call here, or makes it as a job.\nWay"
                                                        + " out: keep the call for runs that have made it: Durable.version(…)."
                                                : "the history was cut or changed: events are missing in front of it.")
                                        + waiting()
                                        + "\n"),
                event,
                null,
                null,
                null);
    }

    /**
     * Describes an event in the history of a run that is over for the code.
     *
     * @param continued whether the code continues the run as new; else it has failed, and another attempt follows
     */
    public Divergence behindTheEnd(HistoryEvent.Inbound event, boolean continued) {
        return new Divergence(
                run + ": the history goes on with event " + event.id() + " " + SideBySide.describe(event)
                        + ", and the code has " + (continued ? "continued the run as new" : "failed the attempt")
                        + " before it, so the next run would know nothing of that event."
                        + (sameCode
                                ? "\n" + DivergenceAdvice.UNSTEADY
                                : "\nLikely cause: the code was changed, and "
                                        + (continued ? "continues as new" : "fails")
                                        + " where the code that wrote the history went on.\nWay out: a condition that no"
                                        + " recorded step has met. In a loop that is Durable.info().historyLength() > N, where"
                                        + " no open run of the type has more than N events; elsewhere Durable.version(…).\n"),
                event,
                null,
                null,
                null);
    }

    /** Describes a local activity that was called with other arguments than the code passes. */
    public Divergence otherInput(HistoryEvent.Inbound event, LocalCall recorded) {
        return new Divergence(
                run + ": the code calls a local activity with other arguments than event " + event.id() + " says: "
                        + recorded.activity() + " with "
                        + DivergenceAdvice.shown(recorded.input().json(), 0)
                        + "."
                        + likely("an argument is computed from something that is not the same on replay."),
                event,
                null,
                null,
                null);
    }

    /**
     * Compares the code's end with the history's; returns null where they agree. An end that does not come from the
     * code always agrees.
     *
     * @param start for the error, which has no turn of its own
     * @param nextType whether the run that continues this one for the code is of the type that has this name, or had it
     */
    @Nullable
    public Divergence otherClose(
            HistoryEvent.Inbound start,
            HistoryEvent.@Nullable Closing code,
            HistoryEvent.Closing history,
            Predicate<String> nextType) {
        boolean agrees =
                switch (history) {
                    case WorkflowCompleted h ->
                        code instanceof WorkflowCompleted c && (c.result().equals(h.result()) || !refusesOtherText());
                    case WorkflowFailed h ->
                        code instanceof WorkflowFailed c
                                && (sameFailure(c.failure(), h.failure()) || !refusesOtherText());
                    case WorkflowCancelled h -> code instanceof WorkflowCancelled;
                    case WorkflowContinuedAsNew h ->
                        code instanceof WorkflowContinuedAsNew c
                                && nextType.test(h.workflowType())
                                && (c.input().equals(h.input()) || !refusesOtherText());
                    case WorkflowTimedOut h -> true;
                    case WorkflowTerminated h -> true;
                };
        return agrees ? null : new Divergence(closeText(code, history), start, null, null, null);
    }

    private String closeText(HistoryEvent.@Nullable Closing code, HistoryEvent.Closing history) {
        return run + ": the code ends otherwise than the history of this run.\n\n    history: " + shown(history)
                + "\n    code:    "
                + (code == null ? "has not ended" + waiting() : shown(code))
                + "\n"
                + likely(
                        "the code behind the last wait was changed, or what it returns is computed from something that is"
                                + " not the same on replay.");
    }

    /** Returns the end as tests and the replayer show it; a worker's error has no values, as it stands in its log. */
    private String shown(HistoryEvent.Closing closing) {
        return switch (closing) {
            case WorkflowCompleted e
            when strict -> "WorkflowCompleted with " + e.result().json();
            case WorkflowFailed e
            when strict ->
                "WorkflowFailed with " + e.failure().type() + ": " + e.failure().message();
            case WorkflowContinuedAsNew e
            when strict ->
                "WorkflowContinuedAsNew of " + e.workflowType() + " with "
                        + e.input().json();
            default -> closing.toString();
        };
    }

    private String likely(String cause) {
        return sameCode ? "\n" + DivergenceAdvice.UNSTEADY : "\nLikely cause: " + cause + "\n";
    }

    private String waiting() {
        return waits.get().stream()
                .map(wait -> "; " + wait.coroutine() + " waits for " + wait.what()
                        + (wait.line() == null ? "" : " at " + wait.line()))
                .collect(Collectors.joining());
    }

    /** Returns whether the types agree. Usage errors have had a type of their own only since 0052. */
    private static boolean sameType(String code, String history) {
        return code.equals(history)
                || code.equals(UsageException.class.getName())
                        && (history.equals(IllegalStateException.class.getName())
                                || history.equals(IllegalArgumentException.class.getName()));
    }

    private static boolean sameFailure(Failure code, Failure history) {
        return sameType(code.type(), history.type()) && Objects.equals(code.message(), history.message());
    }
}
