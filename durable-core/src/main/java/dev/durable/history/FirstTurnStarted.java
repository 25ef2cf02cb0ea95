package dev.durable.history;

import java.time.Instant;

/**
 * The code of the run began to run, later than the run was started: after its start delay, or when a worker was there for
 * it. The time of the first turn is this event's; that of {@link WorkflowStarted} is the time of the call of start. Missing
 * where the code began to run with the start, or within a second of it: then both are one.
 *
 * @param id its place in the history
 * @param at when
 * @param withNext whether only the run's object was made in this turn, and its method {@code run} began when the handlers of
 *     the messages behind this event had run to their first waits: a first turn is made so where {@code run} ended in it
 *     while these messages waited, so that they are seen before the run ends
 */
public record FirstTurnStarted(long id, Instant at, boolean withNext) implements HistoryEvent.Informing {

    /** One that does not wait for messages. */
    public FirstTurnStarted(long id, Instant at) {
        this(id, at, false);
    }
}
