package dev.durable.intercept;

import org.jspecify.annotations.Nullable;

/**
 * The end of a turn or an attempt, where it is more than that the code returned or threw.
 *
 * @param kind the kind of end
 * @param failure why, as {@link InterceptedEngine#masked} gives exceptions; null where nothing failed
 */
public record WorkEnd(Kind kind, @Nullable Throwable failure) {

    /** The kinds of ends. */
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
