package dev.durable.client;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing for which an open run waits, as the rows of the run and its history tell.
 *
 * @param kind what it is
 * @param what its name: {@code activity Payments.charge (1)}, {@code timer 2}, {@code child shipping-7 (Shipping)},
 *     {@code the run} where all of the run is held up
 * @param since since when; null where no row tells
 * @param until when it ends by itself, or is tried again; null where it has no such time
 * @param servedBy the identities of the worker processes that may take it up, or that has it; empty where none may, or
 *     where none needs to
 * @param endedBy what ends the wait: an event or a call, for people
 * @param text one line for people, which says all of this but {@code endedBy}
 */
public record WaitingReason(
        Kind kind,
        String what,
        @Nullable Instant since,
        @Nullable Instant until,
        List<String> servedBy,
        String endedBy,
        String text) {

    public WaitingReason {
        servedBy = List.copyOf(servedBy);
    }

    /** The kinds of waits. */
    public enum Kind {
        /** An operator has paused the run. */
        PAUSED,
        /** The run has stalled: with the code that is deployed it can't go on. */
        STALLED,
        /** The run is due, and no living process serves its task queue, has its type, or is of the build that it is pinned to. */
        UNSERVED,
        /** The run is due and waits for a process that serves its task queue, or a process has it right now. */
        RUNNABLE,
        /** The first turn of the run waits for its start delay, or for the back-off of the workflow's retry policy. */
        DELAYED,
        /** An attempt of an activity runs in a worker. */
        ACTIVITY_RUNNING,
        /** An activity waits for the time of its next attempt. */
        ACTIVITY_RETRY,
        /** An activity is ready, and no living process serves its task queue and implements it. */
        ACTIVITY_UNSERVED,
        /** An activity is ready or paused, and a pause, a limit or the lack of a free slot holds it. */
        ACTIVITY_QUEUED,
        /** An activity is a dead letter or an incident, and waits for an operator. */
        ACTIVITY_FAILED,
        /** A timer, which may be the time limit of a wait for something else. */
        TIMER,
        /** A child workflow that has not ended. */
        CHILD,
        /** The holder of the token of a callback or of an activity that was left to it: a person, another system. */
        OUTSIDE,
        /** Nothing is open: the code waits for a condition that a signal or an update is to make true. */
        CONDITION
    }

    /** Without the text, which may show failures and reasons. */
    @Override
    public String toString() {
        return "WaitingReason[" + kind + ", since=" + since + ", until=" + until + "]";
    }
}
