package dev.durable.internal.run;

import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.store.RunKey;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The largest history of a run: a step that would make it larger is not written, and the run stalls, or waits for the
 * local activities that it has called. Written are steps that end the run, a limited number of steps towards such an end,
 * and steps with the outcome of a local activity. Long before that the code can learn that it should continue as new,
 * and the log warns of the run once.
 *
 * @param events the most events
 * @param bytes the most bytes of payloads, where each character counts as one
 */
public record HistoryLimit(long events, long bytes) {
    private static final long LEAST_EVENTS = 1_000;
    private static final long LEAST_BYTES = 1L << 20;

    public static final HistoryLimit DEFAULT = new HistoryLimit(51_200, 50L << 20);

    public HistoryLimit {
        if (events < 1 || bytes < 1) {
            throw new IllegalArgumentException("the largest history must be at least 1 (maxHistoryEvents,"
                    + " maxHistoryBytes), not " + events + " events and " + bytes
                    + " bytes. Usual cause: 0 was meant as"
                    + " unlimited; say Long.MAX_VALUE for that.");
        }
    }

    /** Returns whether the history is so large that the code should continue as new. */
    static boolean isLong(long events, WorkflowInstance run) {
        return events > WorkflowInstance.MANY_EVENTS || run.bytesOfHistory() > WorkflowInstance.MANY_BYTES;
    }

    /** Returns the line that the log gets once in the life of such a run. */
    static String warning(RunKey run, long events) {
        return "the history of " + run.shown() + " has more than "
                + (events > WorkflowInstance.MANY_EVENTS
                        ? WorkflowInstance.MANY_EVENTS + " events"
                        : WorkflowInstance.MANY_BYTES + " bytes of payloads")
                + ", and each replay of the run (after an eviction, on another"
                + " worker, for a query) repeats all of them. Usual cause: a loop that goes on for months. Way out:"
                + " throw Durable.continueAsNew(…) where Durable.info().shouldContinueAsNew() says so; or do the"
                + " loop in an activity that notes its place with ActivityContext.checkpoint";
    }

    /**
     * Returns why a step that goes on with the run can't be written; null where it can. One that has the outcome of a
     * local activity can, as that outcome stands nowhere else, and its activity has an effect.
     */
    @Nullable
    String refusal(RunKey run, TransitionDraft step, WorkflowInstance instance) {
        long length = step.nextEventId() - 1;
        if (hasRoom(length, instance, false) || step.hasLocalOutcomes()) {
            return null;
        }
        return text(
                run,
                step,
                instance,
                length,
                "with this step would have %s. Nothing of the step was written; messages and outcomes wait",
                "");
    }

    /**
     * Returns why the local activities that a step calls must not begin; null where they may. The room for their outcomes
     * is a tenth larger, so that code that is to end the run behind them is reached. Without any limit code that calls one
     * after the other would never stop.
     *
     * @param open the number of local activities whose outcomes the run waits for
     */
    @Nullable
    String refusalOfLocals(RunKey run, TransitionDraft step, WorkflowInstance instance, int open) {
        long length = step.nextEventId() - 1 + open;
        return hasRoom(length, instance, true)
                ? null
                : text(
                        run,
                        step,
                        instance,
                        length,
                        "with the outcomes of the local activities that it calls would have %s, and these activities have"
                                + " a tenth more. They were not called",
                        " Code behind these activities is not reached; where it is to continue as new, raise the limit.");
    }

    /**
     * Local activities get a tenth more, and so does a run that is about to end, at least a little, for what it does
     * before.
     */
    private boolean hasRoom(long length, WorkflowInstance instance, boolean ofLocals) {
        boolean leaves = instance.isLeaving();
        long moreEvents = leaves ? Math.max(events / 10, LEAST_EVENTS) : ofLocals ? events / 10 : 0;
        long moreBytes = leaves ? Math.max(bytes / 10, LEAST_BYTES) : ofLocals ? bytes / 10 : 0;
        return length - events <= moreEvents && instance.bytesOfHistory() - bytes <= moreBytes;
    }

    private String text(
            RunKey run, TransitionDraft step, WorkflowInstance instance, long length, String what, String end) {
        long recorded = step.firstEventId() - 1;
        boolean byEvents = length > events;
        return String.format(
                Locale.ROOT,
                "the history of %s " + what
                        + ", and the run is tried again within a minute. Usual cause: a loop that goes on"
                        + " without Durable.continueAsNew. Way out: raise the limit, or deploy code that ends the run by"
                        + " Durable.continueAsNew where Durable.info().historyLength() > %d, if no open run of the type has"
                        + " more events." + end,
                run.shown(),
                byEvents
                        ? beyond(
                                length,
                                events,
                                "events",
                                "builder.maxHistoryEvents(…), in Spring durable.max-history-events")
                        : beyond(
                                instance.bytesOfHistory(),
                                bytes,
                                "bytes of payloads",
                                "builder.maxHistoryBytes(…), in Spring durable.max-history-size"),
                byEvents ? Math.max(events, recorded) : recorded);
    }

    private static String beyond(long size, long limit, String what, String setters) {
        return String.format(Locale.ROOT, "%,d %s, and the limit is %,d (%s)", size, what, limit, setters);
    }
}
