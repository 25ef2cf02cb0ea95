package dev.durable.replay;

import dev.durable.declare.ActivityType;
import dev.durable.payload.FailureCodec;
import dev.durable.payload.PayloadCodec;
import java.time.Duration;
import java.util.function.Function;

/**
 * What all instances of a worker share.
 *
 * @param codec payloads
 * @param failures exceptions
 * @param activityTypes the activity type of a class, for {@code Durable.activities(type, …)}
 * @param strict whether an input, duration or option that differs from the recorded one is a divergence (tests,
 *     {@code Replayer}) or only counted (production: else a DTO that gained a field would stall every open run)
 * @param turnLimit how long the code may run between two waits before the run stalls as blocked or looping
 */
public record ReplaySetup(
        PayloadCodec codec,
        FailureCodec failures,
        Function<Class<?>, ActivityType> activityTypes,
        boolean strict,
        Duration turnLimit) {}
