package dev.durable.internal.client;

import dev.durable.ActivityOptions;
import dev.durable.client.StartOptions;
import dev.durable.history.EnqueuedOptions;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.internal.declare.ActivityMethod;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The activity call of a background job: name, arguments and options.
 *
 * @param activity the name of its activity
 * @param arguments the arguments as a JSON array
 * @param options the activity's options as this process knows them
 * @param chosen those of the options that were chosen for this job; null where all of them are fixed
 * @param at when the job was created, by the store's clock
 */
record JobCall(
        String activity,
        Payload arguments,
        ActivityOptions options,
        @Nullable EnqueuedOptions chosen,
        Instant at) {

    static JobCall of(ActivityMethod activity, StartOptions start, Payload arguments, Instant at) {
        JobOptions job = JobOptions.of(activity, start, at);
        return new JobCall(activity.name(), arguments, job.resolved(), job.chosen(), at);
    }

    /** Returns the options as JSON text, with those that were chosen for this job beside them. */
    String optionsJson() {
        return chosen == null ? OptionsJson.encode(options) : chosen.with(options);
    }

    /** Returns the task queue of the job, unless the options of its start name another. */
    String taskQueue() {
        String queue = options.taskQueue();
        return queue == null ? "default" : queue;
    }
}
