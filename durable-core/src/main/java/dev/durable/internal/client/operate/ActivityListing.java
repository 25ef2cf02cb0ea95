package dev.durable.internal.client.operate;

import dev.durable.ActivityOptionsBuilder;
import dev.durable.client.ActivityQuery;
import dev.durable.client.ActivityState;
import dev.durable.client.ActivitySummary;
import dev.durable.client.BoundedCount;
import dev.durable.client.Page;
import dev.durable.history.OptionsJson;
import dev.durable.internal.text.Bounds;
import dev.durable.store.JobFilter;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements {@link ActivityQuery} over the store. */
public final class ActivityListing implements ActivityQuery {
    private final Operations operations;
    private final JobFilter filter;
    private final String actor;

    public ActivityListing(Operations operations, JobFilter filter, String actor) {
        this.operations = operations;
        this.filter = filter;
        this.actor = actor;
    }

    @Override
    public ActivityQuery where(UnaryOperator<Filter> narrowed) {
        Narrowing builder = new Narrowing(filter);
        if (narrowed.apply(builder) != builder) {
            throw new IllegalArgumentException("where(a -> …) must return the filter it was given, narrowed:"
                    + " where(a -> a.activity(\"Payments.charge\").state(DELAYED))");
        }
        return new ActivityListing(operations, builder.wanted, actor);
    }

    @Override
    public ActivityQuery by(String name) {
        return new ActivityListing(operations, filter, Bounds.actor(name));
    }

    @Override
    public Page<ActivitySummary> page(int size) {
        return page(size, null);
    }

    @Override
    public Page<ActivitySummary> page(int size, @Nullable String next) {
        return pages().page(Bounds.page(size), next, ActivityListing::summary);
    }

    @Override
    public Stream<ActivitySummary> stream() {
        return pages().stream().map(ActivityListing::summary);
    }

    @Override
    public long count() {
        return pages().count();
    }

    @Override
    public BoundedCount count(long bound) {
        return pages().count(bound);
    }

    @Override
    public long retry() {
        return each(orders()::retry);
    }

    @Override
    public long runNow() {
        return each(orders()::runNow);
    }

    @Override
    public long reschedule(Instant at) {
        return each(orders().reschedule(at));
    }

    @Override
    public long pause() {
        return each(orders()::pause);
    }

    @Override
    public long resume() {
        return each(orders()::resume);
    }

    @Override
    public long updateTimeout(Duration timeout) {
        return each(orders().updateTimeout(timeout));
    }

    @Override
    public long updateOptions(Consumer<ActivityOptionsBuilder> change) {
        OperatorOrders orders = orders();
        return each(job -> orders.options(job, change));
    }

    @Override
    public long complete(@Nullable Object value) {
        return each(orders().complete(value));
    }

    @Override
    public long fail(Throwable failure) {
        return each(orders().fail(failure));
    }

    @Override
    public long cancel(String reason) {
        OperatorOrders orders = orders();
        return each(job -> operations.isJob(job) ? orders.cancel(job, reason) : null);
    }

    private OperatorOrders orders() {
        return new OperatorOrders(operations, actor);
    }

    private long each(Function<OpenJob, ? extends @Nullable JobOrder> order) {
        return pages().order(order);
    }

    private JobPages pages() {
        return new JobPages(operations, filter);
    }

    static ActivitySummary summary(OpenJob job) {
        OpenJob.Worker worker = job.worker();
        return new ActivitySummary(
                job.key().run().workflowId(),
                job.key().run().runId(),
                job.route().workflowType(),
                job.key().seq(),
                job.activity(),
                job.route().taskQueue(),
                job.status().state(),
                job.status().paused(),
                job.status().cancelRequested(),
                job.seen().attempt(),
                job.status().crashes(),
                OptionsJson.decodeIfReadable(job.options()),
                job.times().scheduledAt(),
                job.times().claimedAt(),
                job.times().visibleAt(),
                worker == null ? null : worker.session(),
                worker == null ? null : worker.identity(),
                job.report().lastFailure(),
                job.report().heartbeatDetails());
    }

    private static final class Narrowing implements Filter {
        private JobFilter wanted;

        Narrowing(JobFilter wanted) {
            this.wanted = wanted;
        }

        @Override
        public Filter workflowId(String workflowId) {
            return to(wanted.workflowId(Bounds.known("workflow id", workflowId)));
        }

        @Override
        public Filter runId(UUID runId) {
            return to(wanted.runId(runId));
        }

        @Override
        public Filter seq(int seq) {
            return to(wanted.seq(seq));
        }

        @Override
        public Filter activity(String name) {
            return to(wanted.activity(Bounds.known("activity", name)));
        }

        @Override
        public Filter taskQueue(String taskQueue) {
            return to(wanted.taskQueue(Bounds.known("task queue", taskQueue)));
        }

        @Override
        public Filter state(ActivityState... states) {
            return to(wanted.states(Set.of(states)));
        }

        @Override
        public Filter attemptFrom(int attempt) {
            return to(wanted.minAttempt(attempt));
        }

        private Filter to(JobFilter narrowed) {
            wanted = narrowed;
            return this;
        }
    }
}
