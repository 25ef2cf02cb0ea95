package dev.durable.internal.client.operate;

import dev.durable.ActivityOptions;
import dev.durable.RefusedInputException;
import dev.durable.RetryPolicy;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.ActivityFailed;
import dev.durable.history.EventJson;
import dev.durable.history.Failure;
import dev.durable.history.HistoryEvent;
import dev.durable.history.IncidentResolved;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds the orders of {@code client.incidents()} and {@code deadLetters()} for jobs in the state in which they were
 * read, each with its event and its row of the audit. Values are written once for each activity, however many jobs it
 * has.
 */
final class Resolutions {
    private static final String FAILED_BY_OPERATOR = "dev.durable.FailedByOperator";

    private final Operations operations;
    private final String actor;
    private final String reason;

    Resolutions(Operations operations, String actor, String reason) {
        this.operations = operations;
        this.actor = actor;
        this.reason = reason;
    }

    Resolutions by(String name) {
        return new Resolutions(operations, Bounds.actor(name), reason);
    }

    Resolutions because(String why) {
        return new Resolutions(operations, actor, operations.reason("because", why));
    }

    // ── tried again ──────────────────────────────────────────────────────────────────────────────────────────────────

    Function<OpenJob, JobOrder> retry() {
        return job -> revive(job, RetryPolicy::afresh, null);
    }

    Function<OpenJob, JobOrder> retry(int attempts) {
        if (attempts < 1) {
            throw new RefusedInputException(
                    "retry(" + attempts + "): at least one attempt; to end it without any, fail or discard it");
        }
        return job -> revive(job, (policy, used) -> policy.afresh(used, attempts), null);
    }

    Function<OpenJob, JobOrder> retryWith(@Nullable Object... arguments) {
        Function<String, Payload> input = once(activity -> operations.arguments(activity, arguments));
        return job -> revive(job, RetryPolicy::afresh, input.apply(job.activity()));
    }

    private JobOrder revive(
            OpenJob job, BiFunction<RetryPolicy, Integer, RetryPolicy> afresh, @Nullable Payload input) {
        int used = job.seen().attempt() - 1;
        ActivityOptions before = OptionsJson.decode(job.options());
        // An at-most-once activity has one attempt only; an operator's retry allows one more.
        ActivityOptions options = before.atMostOnce() ? before : before.withRetry(afresh.apply(before.retry(), used));
        int limit = options.retry().maxAttempts();
        Integer attempts = before.atMostOnce() ? Integer.valueOf(1) : limit == 0 ? null : Integer.valueOf(limit - used);
        Duration toClose = options.scheduleToClose();
        String word = input == null ? "retried" : "retried with other arguments";
        return new JobOrder.Revive(
                job.key(),
                trace("retry", resolved(job, word, attempts, input)),
                job.seen(),
                input == null ? null : input.json(),
                OperatorOrders.kept(job, options, chosen -> {
                    if (limit != before.retry().maxAttempts()) {
                        chosen.maxAttempts(limit);
                    }
                }),
                toClose == null ? null : operations.now().plus(toClose),
                options.retry().maxWorkerCrashes());
    }

    // ── ended ────────────────────────────────────────────────────────────────────────────────────────────────────────

    Function<OpenJob, JobOrder> complete(@Nullable Object value) {
        return completed("complete", "completed", value);
    }

    Function<OpenJob, JobOrder> discard() {
        return completed("discard", "discarded", null);
    }

    private Function<OpenJob, JobOrder> completed(String action, String word, @Nullable Object value) {
        Function<String, Payload> result = once(activity -> operations.result(activity, value));
        return job -> end(
                job,
                trace(action, resolved(job, word, null, null)),
                id -> new ActivityCompleted(
                        0,
                        operations.now(),
                        job.key().seq(),
                        lastAttempt(job),
                        id,
                        result.apply(job.activity()),
                        operations.now(),
                        actor,
                        null));
    }

    /** Fails the job with these words and its last failure; the words are also the reason, where none was given. */
    Function<OpenJob, JobOrder> fail(String words) {
        String why = operations.reason("fail", words);
        Resolutions explained = reason.isEmpty() ? because(why) : this;
        return job -> explained.failed(
                job,
                Failure.of(
                        FAILED_BY_OPERATOR,
                        job.report().lastFailure() == null
                                ? why
                                : why + ". Its last failure: " + job.report().lastFailure()));
    }

    Function<OpenJob, JobOrder> fail(Throwable failure) {
        return job -> failed(job, operations.failure(job, failure));
    }

    private JobOrder failed(OpenJob job, Failure failure) {
        return end(
                job,
                trace("fail", resolved(job, "failed", null, null)),
                id -> new ActivityFailed(
                        0, operations.now(), job.key().seq(), lastAttempt(job), id, failure, actor, null));
    }

    private static JobOrder end(
            OpenJob job, JobOrder.Trace trace, Function<UUID, HistoryEvent.ActivityClosed> outcome) {
        UUID id = Objects.requireNonNull(trace.audit()).id();
        return new JobOrder.End(job.key(), trace, job.seen(), EventJson.outcome(id, outcome.apply(id), null));
    }

    /** Returns the number of the attempt that ended last, as the job's row has that of the next one. */
    private static int lastAttempt(OpenJob job) {
        return Math.max(1, job.seen().attempt() - 1);
    }

    // ── event and audit ──────────────────────────────────────────────────────────────────────────────────────────────

    private IncidentResolved resolved(OpenJob job, String word, @Nullable Integer attempts, @Nullable Payload input) {
        return new IncidentResolved(0, operations.now(), job.key().seq(), word, actor, reason, attempts, input);
    }

    /** Builds the row of the audit and the event. The audit outlives the run, so it does not keep the run's data. */
    private JobOrder.Trace trace(String action, IncidentResolved event) {
        return new JobOrder.Trace(
                new JobOrder.Audit(operations.newId(), actor, action, EventJson.note(event.withoutInput())),
                EventJson.note(event));
    }

    private static Function<String, Payload> once(Function<String, Payload> encode) {
        Map<String, Payload> encoded = new HashMap<>();
        return activity -> encoded.computeIfAbsent(activity, encode);
    }
}
