package dev.durable.internal.client.operate;

import dev.durable.client.ActivityState;
import dev.durable.client.BoundedCount;
import dev.durable.client.Incident;
import dev.durable.client.IncidentControl;
import dev.durable.client.IncidentGroup;
import dev.durable.client.IncidentQuery;
import dev.durable.client.Page;
import dev.durable.internal.text.Bounds;
import dev.durable.store.FailedJobGroup;
import dev.durable.store.JobFilter;
import dev.durable.store.JobOrder;
import dev.durable.store.OpenJob;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements {@link IncidentQuery} over the store. */
public final class IncidentListing implements IncidentQuery {
    private final Operations operations;
    private final ActivityState kind;
    private final JobFilter filter;
    private final Resolutions resolutions;

    private IncidentListing(Operations operations, ActivityState kind, JobFilter filter, Resolutions resolutions) {
        this.operations = operations;
        this.kind = kind;
        this.filter = filter;
        this.resolutions = resolutions;
    }

    public static IncidentQuery of(Operations operations, ActivityState kind) {
        return new IncidentListing(
                operations,
                kind,
                JobFilter.ALL.states(Set.of(kind)),
                new Resolutions(operations, operations.identity(), ""));
    }

    @Override
    public IncidentQuery where(UnaryOperator<Filter> narrowed) {
        Narrowing builder = new Narrowing(filter);
        if (narrowed.apply(builder) != builder) {
            throw new IllegalArgumentException("where(i -> …) must return the filter it was given, narrowed:"
                    + " where(i -> i.activity(\"Payments.charge\").since(monday))");
        }
        return new IncidentListing(operations, kind, builder.wanted, resolutions);
    }

    @Override
    public IncidentQuery by(String actor) {
        return new IncidentListing(operations, kind, filter, resolutions.by(actor));
    }

    @Override
    public IncidentQuery because(String reason) {
        return new IncidentListing(operations, kind, filter, resolutions.because(reason));
    }

    @Override
    public Page<Incident> page(int size) {
        return page(size, null);
    }

    @Override
    public Page<Incident> page(int size, @Nullable String next) {
        return pages().page(Bounds.page(size), next, IncidentListing::incident);
    }

    @Override
    public Stream<Incident> stream() {
        return pages().stream().map(IncidentListing::incident);
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
    public List<IncidentGroup> groups(int limit) {
        return operations.store().views().buried(filter, Bounds.page(limit)).stream()
                .map(IncidentListing::group)
                .toList();
    }

    @Override
    public IncidentControl one(String workflowId, int seq) {
        String known = Bounds.known("workflow id", workflowId);
        return new StoreIncidentControl(operations, StoreIncidentControl.Which.of(known, seq, kind), resolutions);
    }

    @Override
    public IncidentControl one(Incident seen) {
        return new StoreIncidentControl(operations, StoreIncidentControl.Which.of(seen, kind), resolutions);
    }

    @Override
    public long retry() {
        return each(resolutions.retry());
    }

    @Override
    public long retry(int attempts) {
        return each(resolutions.retry(attempts));
    }

    @Override
    public long retryWith(@Nullable Object... arguments) {
        mustBeOfOneActivity("retryWith(…) gives the same arguments");
        return each(resolutions.retryWith(arguments));
    }

    @Override
    public long complete(@Nullable Object value) {
        if (value != null) {
            mustBeOfOneActivity("complete(…) gives the same result");
        }
        return each(resolutions.complete(value));
    }

    @Override
    public long fail(String why) {
        return each(resolutions.fail(why));
    }

    @Override
    public long fail(Throwable failure) {
        return each(resolutions.fail(failure));
    }

    @Override
    public long discard() {
        return each(resolutions.discard());
    }

    private void mustBeOfOneActivity(String what) {
        if (filter.activity() == null) {
            throw new IllegalArgumentException(what + " to all that are selected, so they must be of one activity:"
                    + " narrow them first, where(i -> i.activity(\"Payments.charge\"))");
        }
    }

    private long each(Function<OpenJob, JobOrder> resolution) {
        return pages().order(resolution);
    }

    private JobPages pages() {
        return new JobPages(operations, filter);
    }

    static Incident incident(OpenJob job) {
        OpenJob.Burial burial = Objects.requireNonNull(job.burial());
        return new Incident(ActivityListing.summary(job), burial.at(), burial.fingerprint(), job.input());
    }

    private static IncidentGroup group(FailedJobGroup group) {
        return new IncidentGroup(
                group.fingerprint(),
                group.activity(),
                group.count(),
                group.firstSeen(),
                group.lastSeen(),
                group.lastFailure(),
                group.latest().run().workflowId(),
                group.latest().seq());
    }

    private final class Narrowing implements Filter {
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
        public Filter workflowType(Class<?> type) {
            return workflowType(operations.workflowType(type));
        }

        @Override
        public Filter workflowType(String name) {
            return to(wanted.workflowType(Bounds.known("type", name)));
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
        public Filter fingerprint(String fingerprint) {
            return to(wanted.fingerprint(Bounds.known("fingerprint", fingerprint)));
        }

        @Override
        public Filter since(Instant from) {
            return to(wanted.buriedFrom(from));
        }

        @Override
        public Filter before(Instant time) {
            return to(wanted.buriedBefore(time));
        }

        private Filter to(JobFilter narrowed) {
            wanted = narrowed;
            return this;
        }
    }
}
