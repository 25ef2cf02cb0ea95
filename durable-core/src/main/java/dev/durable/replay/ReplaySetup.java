package dev.durable.replay;

import dev.durable.declare.Registry;
import dev.durable.payload.FailureCodec;
import dev.durable.payload.PayloadCodec;
import java.time.Duration;
import java.util.Set;

/**
 * What all instances of a worker share.
 *
 * @param codec payloads
 * @param failures exceptions
 * @param registry activity types by class, for {@code Durable.activities(type, …)}, and activities by name
 * @param strict whether an input, duration or option that differs from the recorded one is a divergence (tests,
 *     {@code Replayer}) or only counted (production: else a DTO that gained a field would stall every open run)
 * @param turnLimit how long the code may run between two waits before the run stalls as blocked or looping
 * @param stallOn exceptions that stall a run instead of failing it, where its workflow does not say by itself
 */
public record ReplaySetup(
        PayloadCodec codec,
        FailureCodec failures,
        Registry registry,
        boolean strict,
        Duration turnLimit,
        Set<Class<? extends Throwable>> stallOn) {

    /** One where workflows say by themselves what stalls them. */
    public ReplaySetup(
            PayloadCodec codec, FailureCodec failures, Registry registry, boolean strict, Duration turnLimit) {
        this(codec, failures, registry, strict, turnLimit, Set.of());
    }
}
