package dev.durable.samples.orders.cli;

import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowQuery;
import dev.durable.client.WorkflowStatus;
import dev.durable.samples.orders.ApprovalPolicy;
import dev.durable.samples.orders.Money;
import dev.durable.samples.orders.OrderWorkflow;
import dev.durable.samples.orders.shop.Approver;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code orders run}: fulfils a file of orders, or goes on with it. */
@Command(
        name = "run",
        description = "Fulfils a file of orders. Kill it at any moment and run it again: it goes on.",
        sortOptions = false)
final class RunCommand implements Callable<Integer> {
    private static final Money APPROVAL_ABOVE = Money.euros("1000.00");

    private enum Approval {
        AUTO,
        MANUAL
    }

    @Spec
    private CommandSpec spec;

    @Option(names = "--file", paramLabel = "FILE", description = "The orders (default: samples/data/orders.csv).")
    private Path file = Path.of(System.getProperty("samples.home", "samples"), "data", "orders.csv");

    @Option(names = "--limit", paramLabel = "N", description = "Only the first N orders.")
    private int limit = Integer.MAX_VALUE;

    @Option(
            names = "--approve",
            paramLabel = "auto|manual",
            description = "Who approves orders above 1000 EUR: a colleague in this process, who overlooks some, or you,"
                    + " with 'orders approve' (default: auto).")
    private Approval approval = Approval.AUTO;

    @Option(
            names = "--approval-timeout",
            paramLabel = "TIME",
            description = "How long a new order waits for approval, such as 30s, 15m, 72h (default: 10s).")
    private Duration approvalTimeout = Duration.ofSeconds(10);

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        OrderFile orders = OrderFile.read(file).first(limit);
        orders.report(file, out);
        try (OrderSystem system = OrderSystem.atWork()) {
            sayWhereItStands(system.client(), out);
            Fulfilment fulfilment =
                    new Fulfilment(system.client(), new ApprovalPolicy(APPROVAL_ABOVE, approvalTimeout));
            Tally tally = new Batch(fulfilment, system.shop().desk(), colleague(system), out).fulfil(orders.orders());
            new Summary(tally, fulfilment.endedBefore(), orders).print(out);
        }
        return 0;
    }

    private Runnable colleague(OrderSystem system) {
        return switch (approval) {
            case AUTO -> new Approver(system.shop().desk(), system.client(), Duration.ofSeconds(2));
            case MANUAL -> () -> {};
        };
    }

    private static void sayWhereItStands(DurableClient client, PrintWriter out) {
        WorkflowQuery known = client.workflows().where(w -> w.type(OrderWorkflow.class));
        long all = known.count();
        if (all == 0) {
            out.println("starting");
        } else {
            long open = known.where(w -> w.status(WorkflowStatus.RUNNING)).count();
            out.printf("continuing: %d orders are known, %d of them open%n", all, open);
        }
        out.flush();
    }
}
