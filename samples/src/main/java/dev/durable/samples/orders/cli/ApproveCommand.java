package dev.durable.samples.orders.cli;

import dev.durable.samples.orders.Order;
import dev.durable.samples.orders.OrderWorkflow;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code orders approve 20418}: a signal to one order. */
@Command(name = "approve", description = "Approves an order that waits for it.")
final class ApproveCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", converter = OrderId.class, description = "The order's id, such as 20001.")
    private String id;

    @Option(names = "--by", paramLabel = "NAME", description = "Who approves (default: ${DEFAULT-VALUE}).")
    private String by = System.getProperty("user.name");

    @Override
    public Integer call() {
        try (OrderSystem system = OrderSystem.atRest()) {
            system.client().handle(OrderWorkflow.class, Order.workflowId(id)).signal(w -> w.approve(by));
            system.shop().desk().answered(id, by);
            spec.commandLine().getOut().println("approved; the order goes on where 'orders run' is running");
        }
        return 0;
    }
}
