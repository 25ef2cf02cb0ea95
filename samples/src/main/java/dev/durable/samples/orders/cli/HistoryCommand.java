package dev.durable.samples.orders.cli;

import dev.durable.client.WorkflowDescription;
import dev.durable.client.WorkflowHandle;
import dev.durable.samples.orders.Order;
import dev.durable.samples.orders.OrderWorkflow;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code orders history 20418}: everything that happened to one order. */
@Command(name = "history", description = "Shows everything that happened to one order.")
final class HistoryCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", converter = OrderId.class, description = "The order's id, such as 20001.")
    private String id;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (OrderSystem system = OrderSystem.atRest()) {
            WorkflowHandle<OrderWorkflow, ?> order = system.client().handle(OrderWorkflow.class, Order.workflowId(id));
            WorkflowDescription description = order.describe();
            out.printf("%s: %s%n%n", order.workflowId(), description.summary().status());
            HistoryTable.of(order.history()).print(out);
            for (var activity : description.activities()) {
                out.printf("%nopen: %s, %s, attempt %d", activity.activity(), activity.state(), activity.attempt());
            }
            out.flush();
        }
        return 0;
    }
}
