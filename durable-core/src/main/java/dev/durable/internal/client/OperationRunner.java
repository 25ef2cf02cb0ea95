package dev.durable.internal.client;

import dev.durable.ActivityContext;
import dev.durable.CancelledException;
import dev.durable.DeferException;
import dev.durable.client.OperationProgress;
import dev.durable.store.RunRecord;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Carries out an operation on many runs, page after page. A durable checkpoint before each page names its runs, and what is
 * written to a run has an id that follows from operation and run. If the process dies within a page, another worker does the
 * same page again: what was written already is recognised, and counts once. The same holds for two processes at one
 * operation, of which one has lost its lease.
 */
final class OperationRunner implements OperatedRuns {
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
        OperatedPages pages = client.get().pagesOf(order, context.info());
        OperationState state = context.heartbeatDetails(OperationState.class).orElseGet(pages::begin);
        long until = pages.nanoTime() + SLICE.toNanos();
        int size = order.rate() == null ? order.page() : Math.min(order.page(), order.rate());
        List<RunRecord> page = pages.again(state.page());
        while (!context.cancelRequested()) {
            if (state.page().isEmpty()) {
                page = pages.next(state.progress().after(), size);
                if (page.isEmpty()) {
                    return pages.end(state.progress(), false);
                }
                state = state.at(ids(page));
                context.checkpoint(state);
            }
            int asked = page.size();
            state = state.done(pages.apply(page));
            boolean over = order.rate() != null || pages.nanoTime() - until >= 0;
            page = over ? List.of() : pages.next(state.progress().after(), size);
            state = state.at(ids(page));
            context.checkpoint(state);
            if (over) {
                throw new DeferException(
                        order.rate() == null
                                ? MOMENT
                                : Duration.ofSeconds(1).multipliedBy(asked).dividedBy(order.rate()));
            }
        }
        OperationProgress stopped = pages.end(state.progress(), true);
        throw new CancelledException("operation " + context.info().workflowId() + " was stopped behind "
                + (stopped.done() + stopped.passed()) + " runs");
    }

    private static List<UUID> ids(List<RunRecord> page) {
        return page.stream().map(run -> run.run().runId()).toList();
    }
}
