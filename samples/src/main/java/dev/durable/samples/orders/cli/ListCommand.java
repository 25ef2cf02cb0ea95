package dev.durable.samples.orders.cli;

import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.client.WorkflowSummary;
import dev.durable.samples.orders.OrderWorkflow;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code orders list --status failed}: the latest orders, and how they stand. */
@Command(name = "list", description = "Lists orders, the latest first.")
final class ListCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--status", paramLabel = "STATUS", description = "Only those that are ${COMPLETION-CANDIDATES}.")
    private @Nullable WorkflowStatus status;

    @Option(names = "--limit", paramLabel = "N", description = "At most so many (default: ${DEFAULT-VALUE}).")
    private int limit = 20;

    @Override
    public Integer call() {
        WorkflowStatus only = status;
        PrintWriter out = spec.commandLine().getOut();
        try (OrderSystem system = OrderSystem.atRest()) {
            WorkflowQuery orders = system.client().workflows().where(w -> w.type(OrderWorkflow.class));
            WorkflowQuery wanted = only == null ? orders : orders.where(w -> w.status(only));
            Table table = new Table("order", "status", "started", "took");
            List<WorkflowQuery.Row> page = wanted.newestFirst().page(limit);
            for (WorkflowQuery.Row row : page) {
                WorkflowSummary it = row.summary();
                Instant started = it.startedAt().truncatedTo(ChronoUnit.MILLIS);
                table.row(it.workflowId(), it.status(), started, took(it));
            }
            table.print(out);
            out.printf("%d of %d orders%n", page.size(), wanted.count());
            out.flush();
        }
        return 0;
    }

    private static String took(WorkflowSummary run) {
        Instant end = run.closedAt();
        return end == null
                ? ""
                : "%.1f s".formatted(Duration.between(run.startedAt(), end).toMillis() / 1000.0);
    }
}
