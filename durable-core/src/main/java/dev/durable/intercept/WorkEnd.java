package dev.durable.intercept;

import dev.durable.history.Failure;
import org.jspecify.annotations.Nullable;

/**
 * How work ended, where that is more than that it returned or threw.
 *
 * @param kind what came of it
 * @param failure why; null where nothing failed. Its messages are as they may be recorded
 */
public record WorkEnd(Kind kind, @Nullable Failure failure) {

    /** What came of the work. */
    public enum Kind {
        /** The turn completed its run. */
        RUN_COMPLETED,
        /** The turn was the last of a run that failed: its code threw. */
        RUN_FAILED,
        /** The turn was the last of a run that was cancelled. */
        RUN_CANCELLED,
        /** The attempt had ended before its body did, by a timeout, say: the body returned or threw for nothing. */
        STALE
    }
}
