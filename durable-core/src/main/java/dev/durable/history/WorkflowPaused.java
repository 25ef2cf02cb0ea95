package dev.durable.history;

import java.time.Instant;

/**
 * The run was paused: its code does not run until it is resumed. What comes for it waits in its inbox.
 *
 * @param id its place in the history
 * @param at when
 * @param reason why
 * @param by the name of the client, operator or user that asked for it
 */
public record WorkflowPaused(long id, Instant at, String reason, String by) implements HistoryEvent.Informing {}
