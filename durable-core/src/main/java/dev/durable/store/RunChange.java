package dev.durable.store;

import dev.durable.DurableException;
import org.jspecify.annotations.Nullable;

/**
 * What has come of a change of a run from outside: of a {@link Seizure}, a {@link RunPause} or a {@link RunMove}.
 *
 * @param kind what has come of it
 * @param run the run; null where none was found or locked, and where the change was refused
 * @param refusal why the change was refused; null where it was not
 */
public record RunChange(
        Kind kind, @Nullable RunKey run, @Nullable DurableException refusal) {
    /** There is no such open run. */
    public static final RunChange NOT_FOUND = new RunChange(Kind.NOT_FOUND, null, null);

    /** Another transaction has the run, or a job of it. */
    public static final RunChange LOCKED = new RunChange(Kind.LOCKED, null, null);

    /** The kinds of outcomes. */
    public enum Kind {
        /** The run was changed, now or by an earlier send of the same request. */
        CHANGED,
        /** The run is open and needs no change: it is in that state already, or is not due. */
        UNCHANGED,
        /** No such run is open. */
        NOT_FOUND,
        /** Another transaction has the run, or a job of it; nothing was written. Send the request again, alone. */
        LOCKED,
        /**
         * The store refuses to change this run, by what may be the fault of this run alone: a trigger or constraint of the
         * application's, a history that is gone, or more work than one statement may take. Nothing was written.
         */
        REFUSED
    }

    /** The outcome for a run that was changed. */
    public static RunChange changed(RunKey run) {
        return new RunChange(Kind.CHANGED, run, null);
    }

    /** The outcome for an open run that needs no change. */
    public static RunChange unchanged(RunKey run) {
        return new RunChange(Kind.UNCHANGED, run, null);
    }

    /** The outcome for a run that the store refuses to change. */
    public static RunChange refused(DurableException why) {
        return new RunChange(Kind.REFUSED, null, why);
    }

    /** Returns this outcome; throws where the change was refused. */
    RunChange orThrow() {
        if (refusal != null) {
            throw refusal;
        }
        return this;
    }

    /** Returns whether the run was changed. */
    public boolean isDone() {
        return kind == Kind.CHANGED;
    }

    /** Returns whether the run was found open, or was changed by an earlier send. */
    public boolean isFound() {
        return kind == Kind.CHANGED || kind == Kind.UNCHANGED;
    }
}
