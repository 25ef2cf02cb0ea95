package dev.durable.internal.intercept;

import dev.durable.intercept.StartCall;
import org.jspecify.annotations.Nullable;

/**
 * Describes a start of a client to interceptors and context propagators.
 *
 * @param kind whether a run, a job or a batch is started
 * @param type the workflow type, the activity or the activity type
 * @param taskQueue the queue where the options name none; null where it differs from job to job
 * @param name the name of the signal or update that goes with it; null without
 */
public record StartedThing(
        StartCall.Kind kind,
        String type,
        @Nullable String taskQueue,
        @Nullable String name) {}
