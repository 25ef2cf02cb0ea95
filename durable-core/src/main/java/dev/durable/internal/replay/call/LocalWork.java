package dev.durable.internal.replay.call;

import dev.durable.history.ActivityScheduled;

/**
 * A local activity that the worker is to begin or to stop after the turn.
 *
 * @param call the call of the code, an event that is never written, as its outcome contains the call
 * @param cancelled whether the code has cancelled it: then it is stopped where it runs, else ended without having begun
 */
public record LocalWork(ActivityScheduled call, boolean cancelled) {}
