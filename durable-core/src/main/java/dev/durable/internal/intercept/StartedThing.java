package dev.durable.internal.intercept;

import dev.durable.intercept.StartCall;
import org.jspecify.annotations.Nullable;

/**
 * Describes to interceptors and context propagators what a client is about to start.
 *
 * @param kind a run, a job or a batch
 * @param type the workflow type, the activity or the activity type
 * @param taskQueue its queue where the options name none; null where that differs from job to job
 * @param signal the signal that goes with it
 */
public record StartedThing(
        StartCall.Kind kind,
        String type,
        @Nullable String taskQueue,
        @Nullable String signal) {}
