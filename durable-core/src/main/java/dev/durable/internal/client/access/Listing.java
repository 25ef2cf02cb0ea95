package dev.durable.internal.client.access;

import dev.durable.RefusedInputException;
import dev.durable.client.ActivityHandle;
import dev.durable.client.BoundedCount;
import dev.durable.client.DurableClient;
import dev.durable.client.Operation;
import dev.durable.client.OperationPreview;
import dev.durable.client.Page;
import dev.durable.client.StallGroup;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowSummary;
import dev.durable.client.WorkflowVerbs;
import dev.durable.internal.declare.Registry;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Portion;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import dev.durable.store.Views;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements {@link WorkflowQuery} over the store, in pages ordered by run id, which is the order of start times. */
public final class Listing implements WorkflowQuery {
    private static final int PAGE = 500;

    private final DurableClient client;
    private final Function<RunRecord, ActivityHandle> jobs;
    private final Views store;
    private final Registry registry;
    private final RunFilter filter;
    private final BiFunction<RunFilter, @Nullable String, WorkflowVerbs> verbs;

    /** @param verbs makes the verbs of an operator, or without one of this process, for all runs of a filter */
    public Listing(
            DurableClient client,
            Function<RunRecord, ActivityHandle> jobs,
            Views store,
            Registry registry,
            RunFilter filter,
            BiFunction<RunFilter, @Nullable String, WorkflowVerbs> verbs) {
        this.verbs = verbs;
        this.client = client;
        this.jobs = jobs;
        this.store = store;
        this.registry = registry;
        this.filter = filter;
    }

    @Override
    public WorkflowQuery where(UnaryOperator<Filter> narrowed) {
        FilterBuilder builder = new FilterBuilder(filter, registry);
        if (narrowed.apply(builder) != builder) {
            throw new IllegalArgumentException("where(w -> …) must return the filter it was given, narrowed:"
                    + " where(w -> w.type(OrderWorkflow.class).status(RUNNING))");
        }
        return with(builder.build());
    }

    @Override
    public WorkflowQuery newestFirst() {
        return with(filter.newestFirst(true));
    }

    @Override
    public WorkflowQuery oldestFirst() {
        return with(filter.newestFirst(false));
    }

    @Override
    public Page<Row> page(int size) {
        return page(size, null);
    }

    @Override
    public Page<Row> page(int size, @Nullable String next) {
        Cursor cursor = Cursor.ofRuns(filter.newestFirst());
        RunFilter behind = next == null ? filter : filter.after(cursor.run(next));
        return Cursor.page(
                store.runs(behind, Bounds.page(size)),
                next,
                run -> cursor.of(run.run().runId()),
                this::row);
    }

    @Override
    public Stream<Row> stream() {
        return Stream.iterate(
                        store.runs(filter, PAGE),
                        page -> !page.isEmpty(),
                        page -> Portion.isWhole(page, PAGE, RunRecord::atMost)
                                ? List.of()
                                : store.runs(filter.after(page.getLast().run().runId()), PAGE))
                .flatMap(List::stream)
                .map(this::row);
    }

    @Override
    public WorkflowVerbs by(String actor) {
        return verbs.apply(filter, Bounds.actor(actor));
    }

    /** Returns the verbs of this process, as no operator has given a name. */
    private WorkflowVerbs own() {
        return verbs.apply(filter, null);
    }

    @Override
    public Operation retryAll() {
        return own().retry();
    }

    @Override
    public Operation cancelAll() {
        return own().cancel();
    }

    @Override
    public Operation terminateAll(String reason) {
        return own().because(reason).terminate();
    }

    @Override
    public Operation signalAll(String name, @Nullable Object... arguments) {
        return own().signal(name, arguments);
    }

    @Override
    public OperationPreview dryRun() {
        return own().dryRun();
    }

    @Override
    public List<StallGroup> stallGroups() {
        RunFilter stalled = filter.stalled(true);
        StallGroups groups = new StallGroups();
        List<RunRecord> page = store.runs(stalled, PAGE);
        while (!page.isEmpty()) {
            Map<UUID, String> causes =
                    store.stalledBy(page.stream().map(run -> run.run().runId()).toList());
            page.forEach(run -> {
                String cause = causes.get(run.run().runId());
                if (cause != null) {
                    groups.add(run, cause);
                }
            });
            page = Portion.isWhole(page, PAGE, RunRecord::atMost)
                    ? List.of()
                    : store.runs(stalled.after(page.getLast().run().runId()), PAGE);
        }
        return groups.all();
    }

    @Override
    public long count() {
        return store.count(filter);
    }

    @Override
    public BoundedCount count(long bound) {
        return upTo(bound, limit -> store.count(filter, limit));
    }

    /** Counts up to one more than the bound, which tells whether there are more. */
    public static BoundedCount upTo(long bound, LongUnaryOperator counted) {
        if (bound < 0 || bound == Long.MAX_VALUE) {
            throw new RefusedInputException(
                    "count(" + bound + ") must count up to 0 or more; to count all of them: count()");
        }
        long found = counted.applyAsLong(bound + 1);
        return new BoundedCount(Math.min(found, bound), found > bound);
    }

    private Row row(RunRecord run) {
        WorkflowSummary summary = DescriptionMapper.summary(run);
        return new Row() {
            @Override
            public WorkflowSummary summary() {
                return summary;
            }

            @Override
            public <W> WorkflowHandle<W, ?> handle(Class<W> type) {
                return client.handle(type, summary.workflowId(), summary.runId());
            }

            @Override
            public ActivityHandle job() {
                return jobs.apply(run);
            }
        };
    }

    private Listing with(RunFilter changed) {
        return new Listing(client, jobs, store, registry, changed, verbs);
    }
}
