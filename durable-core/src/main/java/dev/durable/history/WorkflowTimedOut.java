package dev.durable.history;

import java.time.Instant;

/**
 * The run ran out of its run timeout or execution timeout. None of its code ran.
 *
 * @param id its place in the history
 * @param at when
 * @param droppedMessages messages that it never handled
 */
public record WorkflowTimedOut(long id, Instant at, int droppedMessages) implements HistoryEvent.Closing {}
