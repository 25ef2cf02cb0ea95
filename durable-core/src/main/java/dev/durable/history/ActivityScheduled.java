package dev.durable.history;

import dev.durable.ActivityOptions;
import java.time.Instant;

/**
 * The code called an activity, which was scheduled with these arguments and options.
 *
 * @param id its place in the history
 * @param at when
 * @param seq its number in the run, in order of the calls of activities
 * @param activity its name
 * @param taskQueue where its job goes
 * @param input its arguments, a JSON array
 * @param options timeouts, retry policy and all else, as resolved
 */
public record ActivityScheduled(
        long id, Instant at, int seq, String activity, String taskQueue, Payload input, ActivityOptions options)
        implements HistoryEvent.Command {}
