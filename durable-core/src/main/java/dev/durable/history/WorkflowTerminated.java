package dev.durable.history;

import java.time.Instant;

/**
 * The run was terminated from outside. None of its code ran.
 *
 * @param id its place in the history
 * @param at when
 * @param reason why
 * @param by the name of the client, operator or user that asked for it
 * @param droppedMessages messages that it never handled
 */
public record WorkflowTerminated(long id, Instant at, String reason, String by, int droppedMessages)
        implements HistoryEvent.Closing {}
