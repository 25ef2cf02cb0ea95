package dev.durable.samples.orders.cli;

import dev.durable.StoreUnavailableException;
import dev.durable.samples.Progress;
import dev.durable.samples.orders.Order;
import dev.durable.samples.orders.shop.ApprovalDesk;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jooq.exception.DataAccessException;

/** Fulfils many orders at once, each on a virtual thread that waits for its end, and shows how far they are. */
final class Batch {
    private final Fulfilment fulfilment;
    private final ApprovalDesk desk;
    private final Runnable colleague;
    private final PrintWriter out;

    /** The colleague is run now and then, to look at the desk. */
    Batch(Fulfilment fulfilment, ApprovalDesk desk, Runnable colleague, PrintWriter out) {
        this.fulfilment = fulfilment;
        this.desk = desk;
        this.colleague = colleague;
        this.out = out;
    }

    Tally fulfil(List<Order> orders) throws InterruptedException {
        Tally tally = new Tally();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Progress progress = Progress.on(out, "orders", orders.size())) {
            CompletableFuture<?> all = CompletableFuture.allOf(orders.stream()
                    .map(order -> CompletableFuture.runAsync(() -> tally.add(fulfilment.of(order)), threads))
                    .toArray(CompletableFuture[]::new));
            while (!endsWithinMillis(200, all)) {
                progress.show(tally.ended(), lookAtTheDesk());
            }
            progress.show(tally.ended(), "");
        }
        return tally;
    }

    private String lookAtTheDesk() {
        try {
            colleague.run();
            return desk.waiting() + " wait for approval";
        } catch (DataAccessException | StoreUnavailableException e) {
            return "the database does not answer; waiting for it";
        }
    }

    private static boolean endsWithinMillis(long millis, CompletableFuture<?> all) throws InterruptedException {
        try {
            all.get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("an order could not be followed", e.getCause());
        }
    }
}
