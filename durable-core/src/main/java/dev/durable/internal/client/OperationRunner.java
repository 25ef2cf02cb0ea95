package dev.durable.internal.client;

import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.DeferException;
import dev.durable.client.OperationProgress;
import dev.durable.store.RunFilter;
import dev.durable.store.RunRecord;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Carries out an operation on many runs: page after page, each followed by a durable checkpoint with the last run of the
 * page. If the process dies between a page and its checkpoint, the page is tried again by another worker; what is sent to
 * a run has an id that follows from operation and run, so it reaches the run once; a run that is terminated, paused, resumed
 * or moved already is passed over. The same holds for two processes at one operation, of which one has lost its lease.
 */
final class OperationRunner implements OperatedRuns {
    /** How many runs are asked between two checkpoints. */
    static final int PAGE = 500;

    /** How long it works until it gives its job back, so that a worker that drains need not wait for it. */
    private static final Duration SLICE = Duration.ofSeconds(5);

    private static final Duration MOMENT = Duration.ofMillis(1);

    private final Supplier<StoreClient> client;

    OperationRunner(Supplier<StoreClient> client) {
        this.client = client;
    }

    @Override
    public OperationProgress run(OperationOrder order) {
        ActivityContext context = ActivityContext.current();
        OperationVerbs verbs = client.get().ofOperations();
        OperationProgress now =
                context.heartbeatDetails(OperationProgress.class).orElseGet(order::begins);
        String id = context.info().workflowId();
        long until = verbs.nanoTime() + SLICE.toNanos();
        int size = order.rate() == null ? PAGE : Math.min(PAGE, order.rate());
        while (!context.cancelRequested()) {
            RunFilter filter =
                    now.after() == null ? order.filter() : order.filter().after(now.after());
            List<RunRecord> page = verbs.runs(filter, size);
            if (page.isEmpty()) {
                return now;
            }
            long done = verbs.apply(order, id, page);
            now = new OperationProgress(
                    now.action(),
                    now.actor(),
                    now.reason(),
                    now.done() + done,
                    now.passed() + page.size() - done,
                    page.getLast().run().runId());
            context.checkpoint(now);
            if (order.rate() != null) {
                throw new DeferException(
                        Duration.ofSeconds(1).multipliedBy(page.size()).dividedBy(order.rate()));
            }
            if (verbs.nanoTime() - until >= 0) {
                throw new DeferException(MOMENT);
            }
        }
        throw new CancelledException(
                "operation " + id + " was stopped behind " + (now.done() + now.passed()) + " runs");
    }
}
