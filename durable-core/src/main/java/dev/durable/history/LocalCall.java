package dev.durable.history;

/**
 * The activity name and arguments with which a local activity was called. It has no {@link ActivityScheduled} of its
 * own: its outcome, the one event it leaves, says it.
 *
 * @param activity its name
 * @param input its arguments, a JSON array
 */
public record LocalCall(String activity, Payload input) {}
