package dev.durable.internal.engine;

import dev.durable.RetryIf;
import dev.durable.client.Alert;
import dev.durable.client.ErrorSanitizer;
import dev.durable.internal.dispatch.QueueSettings;
import dev.durable.internal.intercept.Interception;
import dev.durable.internal.payload.PayloadCodec;
import dev.durable.internal.run.HistoryLimit;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All options of an engine as they were set with its builder. Immutable.
 *
 * @param identity the name of this process in events and views
 * @param queues the task queues that it serves
 * @param limits bounds in time and size
 * @param worker whether it works rather than being a client only
 * @param strict whether an input that differs on replay is an error; for tests
 * @param payloads reads and writes values
 * @param errors the handling of failures
 * @param exactArguments whether a job with more or fewer arguments than its method has parameters can't be read
 * @param interception interceptors and context propagators
 * @param build the name of the build of this process's workflow code; null where it names none
 */
public record EngineSettings(
        String identity,
        Map<String, QueueSettings> queues,
        Limits limits,
        boolean worker,
        boolean strict,
        PayloadCodec payloads,
        Errors errors,
        boolean exactArguments,
        Interception interception,
        @Nullable String build) {

    public EngineSettings {
        queues = Map.copyOf(queues);
    }

    /** Creates settings in which arguments need not be exact, nothing is intercepted, and no build is named. */
    public EngineSettings(
            String identity,
            Map<String, QueueSettings> queues,
            Limits limits,
            boolean worker,
            boolean strict,
            PayloadCodec payloads,
            Errors errors) {
        this(identity, queues, limits, worker, strict, payloads, errors, false, Interception.NONE, null);
    }

    /**
     * The handling of failures.
     *
     * @param sanitizer takes secrets out of messages
     * @param alerts called for dead letters and incidents; null for none
     * @param deadLettersKept how long dead letters are kept
     * @param maxDeadLetters how many dead letters are kept
     * @param stallOn exceptions that stall a run instead of failing it, where its workflow lists none itself
     * @param retryIf decides which failures of activities are retried, where their retry policies name no predicate
     */
    public record Errors(
            ErrorSanitizer sanitizer,
            @Nullable Consumer<? super Alert> alerts,
            Duration deadLettersKept,
            int maxDeadLetters,
            Set<Class<? extends Throwable>> stallOn,
            RetryIf retryIf) {
        public static final Errors DEFAULT = new Errors(
                ErrorSanitizer.DEFAULT, null, Duration.ofDays(180), 10_000, Set.of(), (failure, attempt) -> true);

        public Errors sanitizedBy(ErrorSanitizer value) {
            return new Errors(value, alerts, deadLettersKept, maxDeadLetters, stallOn, retryIf);
        }

        /** Adds a listener behind the present ones. */
        public Errors toldTo(Consumer<? super Alert> listener) {
            Consumer<? super Alert> before = alerts;
            Consumer<Alert> all = alert -> {
                try {
                    if (before != null) {
                        before.accept(alert);
                    }
                } finally {
                    listener.accept(alert);
                }
            };
            return new Errors(sanitizer, all, deadLettersKept, maxDeadLetters, stallOn, retryIf);
        }

        public Errors keeping(Duration time, int most) {
            return new Errors(sanitizer, alerts, time, most, stallOn, retryIf);
        }

        public Errors stallingOn(Class<? extends Throwable> type) {
            Set<Class<? extends Throwable>> more = new LinkedHashSet<>(stallOn);
            more.add(type);
            return new Errors(sanitizer, alerts, deadLettersKept, maxDeadLetters, more, retryIf);
        }

        public Errors retriedIf(RetryIf value) {
            return new Errors(sanitizer, alerts, deadLettersKept, maxDeadLetters, stallOn, value);
        }
    }

    /**
     * Bounds in time and size.
     *
     * @param drain how long running activities may go on at close
     * @param sessionLease a session whose beat stands still for that long is dead
     * @param pollInterval the longest time between two polls of an idle loop, without nudges
     * @param call how long a client's call that writes waits for the database
     * @param turn how long workflow code may run between two waits
     * @param maxPayloadBytes the largest payload
     * @param cacheBytes the rough weight of the runs kept in memory; null for the engine's share of the heap
     * @param cancelGrace how long the body of a cancelled background job may go on
     * @param transactional the most bodies of transactional activities at once; null for as many as the store's pool
     *     can spare
     * @param history the largest history of a run
     */
    public record Limits(
            Duration drain,
            Duration sessionLease,
            Duration pollInterval,
            Duration call,
            Duration turn,
            int maxPayloadBytes,
            @Nullable Long cacheBytes,
            Duration cancelGrace,
            @Nullable Integer transactional,
            HistoryLimit history) {
        public static final Limits DEFAULT = new Limits(
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                PayloadCodec.DEFAULT_MAX_BYTES,
                null,
                Duration.ofSeconds(30),
                null,
                HistoryLimit.DEFAULT);
    }
}
