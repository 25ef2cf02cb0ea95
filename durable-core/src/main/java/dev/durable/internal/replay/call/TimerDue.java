package dev.durable.internal.replay.call;

import java.time.Instant;

/**
 * A started timer with its due time, for the worker.
 *
 * @param seq its number in the run
 * @param fireAt when it is due
 */
public record TimerDue(int seq, Instant fireAt) {}
