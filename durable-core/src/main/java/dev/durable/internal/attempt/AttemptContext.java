package dev.durable.internal.attempt;

import dev.durable.ActivityContext;
import dev.durable.ActivityInfo;
import dev.durable.ActivityOptions;
import dev.durable.ActivityStream;
import dev.durable.CancelledException;
import dev.durable.DurableException;
import dev.durable.StaleAttemptException;
import dev.durable.TypeRef;
import dev.durable.history.ActivityTimeoutUpdated;
import dev.durable.history.Failure;
import dev.durable.history.Payload;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.WorkEnd;
import dev.durable.internal.payload.FailureCodec;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import dev.durable.store.ActivityToken;
import dev.durable.store.ClaimedJob;
import dev.durable.store.JobContent;
import dev.durable.store.JobUpdate;
import dev.durable.store.TransactionalActivities;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ActivityContext} that the body of an activity gets for one attempt. Usable from any thread; calls after
 * the end of the attempt throw.
 */
final class AttemptContext implements ActivityContext {
    private static final TypeRef<Map<String, String>> HEADERS = new TypeRef<>() {};

    private final ClaimedJob job;
    private final ActivityOptions options;
    private final Parts parts;
    private final AttemptServices host;
    private final AttemptStreams streams;
    private volatile boolean leftToOthers;
    private volatile TransactionalActivities.@Nullable Transaction transaction;

    /**
     * The parts of the attempt that calls of the body act on.
     *
     * @param heard gets answers of the store, which may say that the attempt is stale or to be cancelled
     */
    record Parts(
            Cancellation cancellation,
            HeartbeatSender heartbeats,
            AttemptWatch watch,
            Notes notes,
            Consumer<JobUpdate.Outcome> heard) {}

    AttemptContext(ClaimedJob job, ActivityOptions options, Parts parts, AttemptServices host) {
        this.job = job;
        this.options = options;
        this.parts = parts;
        this.host = host;
        this.streams = new AttemptStreams(job, host, parts.cancellation(), parts.watch()::alive, parts.heard());
    }

    @Override
    public ActivityInfo info() {
        return new ActivityInfo(
                job.key().run().workflowId(),
                job.key().run().runId(),
                job.route().workflowType(),
                job.activity(),
                job.key().seq(),
                job.attempt(),
                options.retry().maxAttempts(),
                job.deadlines().scheduledAt(),
                parts.watch().deadline(),
                job.route().taskQueue(),
                idempotencyKey());
    }

    private String idempotencyKey() {
        String scheduledWith = job.content().headers().contains(JobContent.IDEMPOTENCY_KEY)
                ? storedHeaders().get(JobContent.IDEMPOTENCY_KEY)
                : null;
        return scheduledWith == null ? job.key().run().runId() + ":" + job.key().seq() : scheduledWith;
    }

    /**
     * Details are written as JSON before the call returns, so that the body may go on changing the object. A cancelled
     * body gets its exception after its details were taken: the next attempt goes on from them, or the workflow is
     * shown them.
     */
    @Override
    public void heartbeat(@Nullable Object details) {
        parts.cancellation().checkStale();
        parts.watch().alive();
        if (details != null) {
            parts.heartbeats().tell(encoded(details));
        }
        parts.cancellation().check();
    }

    @Override
    public void checkpoint(@Nullable Object details) {
        if (host.reports().local()) {
            throw new IllegalStateException("checkpoint in local activity " + job.activity()
                    + ": a local activity has no job that could keep it. Take local = true away, or use heartbeat:"
                    + " its details last as long as this process.");
        }
        parts.cancellation().checkStale();
        parts.watch().alive();
        String json = details == null ? parts.heartbeats().latest() : encoded(details);
        if (json != null) {
            await(parts.heartbeats().checkpoint(json));
            parts.watch().alive();
        }
        parts.cancellation().check();
    }

    @Override
    public <T> Optional<T> heartbeatDetails(Class<T> type) {
        return details(type).map(type::cast);
    }

    @Override
    @SuppressWarnings("unchecked") // the codec reads what the type says
    public <T> Optional<T> heartbeatDetails(TypeRef<T> type) {
        return (Optional<T>) details(type.type());
    }

    /** Returns whether the body waits until an entry of a stream is stored. */
    boolean appendWaits() {
        return streams.appendWaits();
    }

    @Override
    public <T> ActivityStream<T> stream(String name, Class<T> type) {
        return streams.stream(name, type);
    }

    @Override
    public <T> ActivityStream<T> stream(String name, TypeRef<T> type) {
        return streams.stream(name, type.type());
    }

    @Override
    public void updateTimeout(Duration timeout) {
        Bounds.duration("updateTimeout", timeout);
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException(
                    "updateTimeout(" + timeout + "): the deadline becomes now plus a positive duration");
        }
        parts.cancellation().checkStale();
        Instant before = parts.watch().move(timeout);
        TransactionalActivities.Transaction open = transaction;
        if (open != null) {
            open.prolong(parts.watch().left());
        }
        parts.notes()
                .add(new ActivityTimeoutUpdated(
                        0,
                        host.deadlines().clock().now(),
                        job.key().seq(),
                        job.attempt(),
                        before,
                        parts.watch().deadline(),
                        host.surroundings().identity()));
        annotate();
    }

    @Override
    public String completeLater() {
        if (host.reports().local() || options.transactional()) {
            throw new IllegalStateException("completeLater in " + (options.transactional() ? "transactional" : "local")
                    + " activity " + job.activity() + ": it ends together with its body. Take "
                    + (options.transactional() ? "transactional" : "local") + " = true away.");
        }
        parts.cancellation().checkStale();
        leftToOthers = true;
        return ActivityToken.of(job.key(), job.lease(), job.activity()).text();
    }

    /** Returns whether the body has asked for its token, so that its return does not end the attempt. */
    boolean leftToOthers() {
        return leftToOthers;
    }

    @Override
    public boolean cancelRequested() {
        return parts.cancellation().requested();
    }

    @Override
    public void onCancel(Runnable action) {
        parts.cancellation().onCancel(action);
    }

    @Override
    public Map<String, String> headers() {
        Map<String, String> stored = storedHeaders();
        if (!stored.containsKey(JobContent.IDEMPOTENCY_KEY)) {
            return stored;
        }
        Map<String, String> headers = new HashMap<>(stored);
        headers.remove(JobContent.IDEMPOTENCY_KEY);
        return Map.copyOf(headers);
    }

    @SuppressWarnings("unchecked") // the codec reads what the type says
    private Map<String, String> storedHeaders() {
        if (job.content().headers().equals("{}")) {
            return Map.of();
        }
        Object headers =
                host.code().payloads().decode(new Payload(job.content().headers()), HEADERS.type(), "the headers");
        return headers == null ? Map.of() : Map.copyOf((Map<String, String>) headers);
    }

    /** Returns the attempt as interceptors see it. */
    ActivityCall call() {
        return new ActivityCall(info(), host.reports().local(), options.transactional(), headers());
    }

    /** Returns how the attempt ended while its body still ran; null where it has not. */
    @Nullable
    WorkEnd staleEnd() {
        String why = parts.cancellation().staleBecause();
        return why == null
                ? null
                : new WorkEnd(
                        WorkEnd.Kind.STALE,
                        FailureCodec.loggable(Failure.of(StaleAttemptException.class.getName(), why)));
    }

    /** Sets the transaction inside which the body runs from here on; null after it. */
    void within(TransactionalActivities.@Nullable Transaction open) {
        transaction = open;
    }

    @Override
    public <T> T transaction(Class<T> type) {
        TransactionalActivities.Transaction open = transaction;
        T seen = open == null ? null : open.as(type);
        if (seen == null) {
            throw new IllegalStateException("transaction(" + type.getSimpleName() + ".class) in "
                    + job.activity() + ": "
                    + (!options.transactional()
                            ? "the activity is not transactional. Declare it @Activity(transactional = true)"
                            : open == null
                                    ? "the body has ended, and its transaction with it"
                                    : "its transaction has no " + type.getName()
                                            + ". On PostgreSQL it is a java.sql.Connection; in memory there is none"));
        }
        return seen;
    }

    private void annotate() {
        String notes = parts.notes().json();
        if (notes != null) {
            host.reports().tell(new JobUpdate.Annotate(job.key(), job.lease(), notes, null), (outcome, error) -> {});
        }
    }

    private Optional<Object> details(Type type) {
        String details = job.heartbeatDetails();
        return details == null
                ? Optional.empty()
                : Optional.ofNullable(host.code().payloads().decode(new Payload(details), type, what()));
    }

    private String encoded(Object details) {
        return host.code()
                .payloads()
                .encode(details, details.getClass(), what())
                .json();
    }

    private String what() {
        return "the heartbeat details of " + job.activity();
    }

    private void await(CompletableFuture<JobUpdate.Outcome> durable) {
        try {
            host.surroundings().waiting().await(durable);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            parts.cancellation().check();
            throw new CancelledException(
                    "interrupted while a checkpoint of " + job.activity() + " was being stored; it may be durable", e);
        } catch (ExecutionException e) {
            throw new DurableException(
                    "the store refused a checkpoint of " + job.activity() + ": "
                            + Thrown.of(Objects.requireNonNullElse(e.getCause(), e))
                                    .text(),
                    e);
        }
    }
}
