package dev.durable.client;

import dev.durable.ActivityOptions;
import dev.durable.StartOptions;
import dev.durable.declare.ActivityMethod;
import dev.durable.history.Payload;
import java.time.Instant;

/**
 * The call that a background job makes.
 *
 * @param activity the name of its activity
 * @param arguments a JSON array
 * @param options the activity's, as the job has them
 * @param at when it was made, by the store's clock
 */
record JobCall(String activity, Payload arguments, ActivityOptions options, Instant at) {

    static JobCall of(ActivityMethod activity, StartOptions start, Payload arguments, Instant at) {
        return new JobCall(activity.name(), arguments, new JobOptions(at, start).over(activity.options()), at);
    }

    /** Where it waits, unless the options of its start say otherwise. */
    String taskQueue() {
        String queue = options.taskQueue();
        return queue == null ? "default" : queue;
    }
}
