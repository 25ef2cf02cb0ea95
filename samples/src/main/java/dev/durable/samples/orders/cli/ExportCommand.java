package dev.durable.samples.orders.cli;

import dev.durable.samples.orders.Order;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code orders export 20418 order.json}: a history as a file, for a test that replays it or for a colleague. */
@Command(name = "export", description = "Writes an order's history to a JSON file.")
final class ExportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "ID",
            converter = OrderId.class,
            description = "The order's id, such as 20001.")
    private String id;

    @Parameters(index = "1", paramLabel = "FILE", description = "Where to.")
    private Path file;

    @Override
    public Integer call() {
        try (OrderSystem system = OrderSystem.atRest()) {
            system.client().export(Order.workflowId(id), file);
            spec.commandLine().getOut().println("written to " + file);
        }
        return 0;
    }
}
