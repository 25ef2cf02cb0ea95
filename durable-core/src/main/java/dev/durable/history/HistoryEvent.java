package dev.durable.history;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One fact about a run, as its history records it. */
public sealed interface HistoryEvent {

    /** Its place in the history, from 1 without a gap. */
    long id();

    /**
     * When, to the microsecond; never before the event in front of it, but for {@link Informing} events: they tell when
     * something happened to an attempt, and are written together with its activity's end, or the run's.
     */
    Instant at();

    /** The type's name as it stands in the store: {@code ActivityScheduled}. */
    default String type() {
        return getClass().getSimpleName();
    }

    /** Something that came to the run and is fed to its code; begins a turn. */
    sealed interface Inbound extends HistoryEvent
            permits WorkflowStarted,
                    WorkflowCancelRequested,
                    ActivityClosed,
                    TimerFired,
                    SignalReceived,
                    UpdateAccepted,
                    OfChild,
                    OfCallback {}

    /** News of a child. */
    sealed interface OfChild extends Inbound permits ChildStarted, ChildClosed {
        /** The number of the child among those of the chain. */
        long number();

        /** The id of the message that brought it, which follows from the child's chain. */
        UUID messageId();
    }

    /** The end of a child, after which nothing more comes from it; its message id is the child's chain. */
    sealed interface ChildClosed extends OfChild
            permits ChildCompleted, ChildFailed, ChildCancelled, ChildStartFailed {}

    /** News of a callback, from the holder of its token or from its timeout. */
    sealed interface OfCallback extends Inbound permits CallbackEnded, CallbackExtended {
        /** The id of the callback. */
        UUID callback();

        /** The id of the message that brought it. */
        UUID messageId();
    }

    /** The outcome of a callback, of which the first holds; its message id is that of the callback. */
    sealed interface CallbackEnded extends OfCallback permits CallbackCompleted, CallbackFailed, CallbackTimedOut {
        @Override
        default UUID messageId() {
            return callback();
        }
    }

    /** The end of an activity. */
    sealed interface ActivityClosed extends Inbound
            permits ActivityCompleted, ActivityFailed, ActivityTimedOut, ActivityCancelled {
        /** Its number in the run. */
        int seq();

        /** The call of a local activity; null where an {@link ActivityScheduled} has it. */
        @Nullable
        LocalCall local();
    }

    /** Something the code asked for in the turn it stands in. */
    sealed interface Command extends HistoryEvent
            permits ActivityScheduled,
                    ActivityCancelRequested,
                    TimerStarted,
                    TimerCancelled,
                    SideEffectRecorded,
                    VersionRecorded,
                    ExternalSignalRequested,
                    ExternalCancelRequested,
                    UpdateCompleted,
                    UpdateFailed,
                    ChildStartRequested,
                    ChildCancelRequested,
                    ChildSignalRequested,
                    ChildStartWatched,
                    CallbackOpened,
                    CallbackCancelled,
                    StreamAppended {}

    /** An event for readers of the history, which is not fed to the code: it belongs to no turn. */
    sealed interface Informing extends HistoryEvent
            permits FirstTurnStarted,
                    WorkflowForked,
                    WorkflowPaused,
                    WorkflowResumed,
                    ActivityAttemptFailed,
                    ActivityTimeoutUpdated,
                    ActivityOptionsUpdated,
                    ActivityOperated,
                    ActivityAbandoned,
                    IncidentRaised,
                    IncidentResolved,
                    UnknownEvent {
        /** Returns whether a version that does not know the event may replay the history without it. */
        default boolean mayBeIgnored() {
            return true;
        }
    }

    /** The end of the run; the last event. */
    sealed interface Closing extends HistoryEvent
            permits WorkflowCompleted,
                    WorkflowFailed,
                    WorkflowCancelled,
                    WorkflowTimedOut,
                    WorkflowTerminated,
                    WorkflowContinuedAsNew {}
}
