package dev.durable.internal.run;

import dev.durable.internal.replay.WorkflowInstance;
import dev.durable.store.RunKey;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The largest history of a run: a step that would make it larger, and that does not end the run, is not written, and the
 * run stalls. Long before that the code can learn that it should continue as new, and the log warns of the run once.
 *
 * @param events the most events
 * @param bytes the most bytes of payloads, where each character counts as one
 */
public record HistoryLimit(long events, long bytes) {
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

    /** Returns why a step that goes on with the run can't be written; null where it can. */
    @Nullable
    String refusal(RunKey run, TransitionDraft step, WorkflowInstance instance) {
        long length = step.nextEventId() - 1;
        if (length <= events && instance.bytesOfHistory() <= bytes) {
            return null;
        }
        return String.format(
                Locale.ROOT,
                "the history of %s with this step would have %s. Nothing of the step was written; messages and outcomes wait,"
                        + " and the run is tried again within a minute. Usual cause: a loop that goes on without"
                        + " Durable.continueAsNew. Way out: deploy code that ends the run by Durable.continueAsNew where"
                        + " Durable.info().historyLength() > %d, which holds for no step that is recorded; or raise the limit.",
                run.shown(),
                length > events
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
                step.firstEventId() - 1);
    }

    private static String beyond(long size, long limit, String what, String setters) {
        return String.format(Locale.ROOT, "%,d %s, and the limit is %,d (%s)", size, what, limit, setters);
    }
}
