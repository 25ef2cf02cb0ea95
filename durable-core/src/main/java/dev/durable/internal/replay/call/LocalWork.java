package dev.durable.internal.replay.call;

import dev.durable.history.ActivityScheduled;

/**
 * A local activity that the worker is to begin or to stop after the turn.
 *
 * @param call what the code called; an event that is never written: its outcome says what was called
 * @param cancelled whether it is to stop, as the code has cancelled it: stopped where it runs, else ended unbegun
 */
public record LocalWork(ActivityScheduled call, boolean cancelled) {}
