package dev.durable.internal.replay.match;

import dev.durable.internal.declare.Registry;
import dev.durable.internal.intercept.Propagation;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.payload.PayloadCodec;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The settings that all workflow instances of a worker share: codecs, registry, strictness, turn limit and {@code
 * stallOn}.
 *
 * @param codec reads and writes payloads
 * @param failures reads and writes exceptions
 * @param registry activity types by class, for {@code Durable.activities(type, …)}, and activities by name
 * @param strict whether an input, duration or option that differs from the recorded one is a divergence (tests,
 *     {@code Replayer}) or only counted (production: else a DTO that gained a field would stall every open run)
 * @param sameCode whether the histories were made by this very code, so that no deployment explains a difference (a test
 *     kit that replays what it has just recorded)
 * @param turnLimit how long the code may run between two waits before the run stalls as blocked or looping
 * @param stallOn exceptions that stall a run instead of failing it, where its workflow does not say by itself
 * @param context binds the context of a run to the threads of its code
 * @param ids gives ids that can't be guessed, for commands of new turns that record one
 * @param asides the threads of queries and of the judgement of updates
 */
public record ReplaySetup(
        PayloadCodec codec,
        FailureCodec failures,
        Registry registry,
        boolean strict,
        boolean sameCode,
        Duration turnLimit,
        Set<Class<? extends Throwable>> stallOn,
        Propagation context,
        Supplier<UUID> ids,
        AsideThreads asides) {
    /** The threads of all setups that belong to no engine, which could close its own. */
    private static final AsideThreads OF_NO_ENGINE = new AsideThreads();

    /** Creates the settings for code that runs outside of an engine. */
    public ReplaySetup(
            PayloadCodec codec,
            FailureCodec failures,
            Registry registry,
            boolean strict,
            boolean sameCode,
            Duration turnLimit,
            Set<Class<? extends Throwable>> stallOn,
            Propagation context,
            Supplier<UUID> ids) {
        this(codec, failures, registry, strict, sameCode, turnLimit, stallOn, context, ids, OF_NO_ENGINE);
    }

    /**
     * Creates the settings for histories that are only replayed and that other code may have made, where only workflows
     * list the exceptions that stall them.
     */
    public ReplaySetup(
            PayloadCodec codec, FailureCodec failures, Registry registry, boolean strict, Duration turnLimit) {
        this(
                codec,
                failures,
                registry,
                strict,
                false,
                turnLimit,
                Set.of(),
                Propagation.NONE,
                ReplaySetup::noIds,
                OF_NO_ENGINE);
    }

    private static UUID noIds() {
        throw new IllegalStateException("this setup only replays: it has no ids for new turns");
    }
}
