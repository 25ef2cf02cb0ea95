package dev.durable.internal.client.operate;

import dev.durable.CancelledException;
import dev.durable.StaleAttemptException;
import dev.durable.client.ExternalActivity;
import dev.durable.history.ActivityCompleted;
import dev.durable.history.EventJson;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.internal.text.Thrown;
import dev.durable.store.ActivityToken;
import dev.durable.store.JobFilter;
import dev.durable.store.JobOrder;
import dev.durable.store.JobOrder.Outcome;
import dev.durable.store.OpenJob;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link ExternalActivity}: completes, fails and heartbeats an attempt by its token. Its reports are
 * accepted as long as the job has the lease of that attempt.
 */
public final class TokenHolder implements ExternalActivity {
    private final Operations operations;
    private final ActivityToken token;

    public TokenHolder(Operations operations, ActivityToken token) {
        this.operations = operations;
        this.token = token;
    }

    /**
     * Completes the activity. The order is sent also where there is no job, as this completion may have been accepted
     * before.
     */
    @Override
    public void complete(@Nullable Object value) {
        must(operations.carryOut(JobFilter.of(token.key()), job -> completion(job, value)));
    }

    private @Nullable JobOrder completion(@Nullable OpenJob job, @Nullable Object value) {
        if (job != null && !mine(job)) {
            return null;
        }
        Instant now = operations.now();
        Instant since = job == null ? null : job.times().claimedAt();
        JobOrder.Seen seen = job == null ? new JobOrder.Seen(token.lease(), 0, 0) : job.seen();
        Payload result = operations.result(token.activity(), value);
        UUID id = id(" " + result.json());
        return new JobOrder.End(
                token.key(),
                JobOrder.Trace.NONE,
                seen,
                EventJson.outcome(
                        id,
                        new ActivityCompleted(
                                0,
                                now,
                                token.key().seq(),
                                seen.attempt(),
                                id,
                                result,
                                since == null ? now : since,
                                operations.identity(),
                                null),
                        null));
    }

    /**
     * Returns the id of a report: one per content, so that a different report that comes later is refused and not taken
     * for a resend.
     */
    private UUID id(String words) {
        return UUID.nameUUIDFromBytes((token.lease() + words).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Fails the attempt. A failure with the text of an earlier one is a resend, also when the next attempt has begun or
     * the activity has ended.
     */
    @Override
    public void fail(Throwable failure) {
        UUID id = id(" failed: " + Thrown.of(failure).text());
        AtomicReference<Runnable> line = new AtomicReference<>(() -> {});
        Operations call = operations.begun();
        Outcome outcome = call.carryOut(
                JobFilter.of(token.key()),
                job -> job == null || !mine(job) ? null : call.dispatch().afterFailure(job, failure, id, line::set));
        if (Operations.isDone(outcome)) {
            line.get().run();
        }
        must(outcome == Outcome.NOT_FOUND && call.wasCarriedOut(token.key(), id) ? Outcome.DUPLICATE : outcome);
    }

    @Override
    public void heartbeat(@Nullable Object details) {
        AtomicBoolean cancelled = new AtomicBoolean();
        order(job -> {
            cancelled.set(job.status().cancelRequested());
            Duration silence = OptionsJson.decode(job.options()).heartbeatTimeout();
            return new JobOrder.Beat(
                    job.key(),
                    JobOrder.Trace.NONE,
                    job.seen(),
                    details == null ? null : operations.details(job, details),
                    silence == null ? null : operations.now().plus(silence));
        });
        if (cancelled.get()) {
            throw new CancelledException("the activity " + token.key().seq() + " was cancelled by workflow "
                    + token.key().run().shown());
        }
    }

    @Override
    public void updateTimeout(Duration timeout) {
        TimeoutUpdate update = new TimeoutUpdate(timeout, operations.identity());
        order(job -> update.of(job, operations.now(), event -> new JobOrder.Trace(null, EventJson.note(event))));
    }

    private void order(Function<OpenJob, JobOrder> decide) {
        must(operations.carryOut(
                JobFilter.of(token.key()), job -> job == null || !mine(job) ? null : decide.apply(job)));
    }

    /**
     * Returns whether the job's row is that of the token. Only the lease in a token is secret; its holder could change
     * the rest.
     */
    private boolean mine(OpenJob job) {
        return token.lease().equals(job.seen().lease())
                && token.key().run().equals(job.key().run())
                && token.activity().equals(job.activity());
    }

    private void must(Outcome outcome) {
        if (!Operations.isDone(outcome)) {
            throw new StaleAttemptException("STALE: the attempt of activity "
                    + token.key().seq() + " of workflow " + token.key().run().shown()
                    + " whose token this is is no longer the current one: it ended, timed out, another attempt was begun, or"
                    + " the run closed; or the token is not as completeLater() gave it. Nothing was written.");
        }
    }
}
