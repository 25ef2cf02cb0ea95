package dev.durable.replay;

import java.time.Instant;

/**
 * An open timer.
 *
 * @param seq its number in the run
 * @param fireAt when it is due
 */
public record TimerDue(int seq, Instant fireAt) {}
