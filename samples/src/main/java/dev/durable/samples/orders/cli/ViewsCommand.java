package dev.durable.samples.orders.cli;

import dev.durable.samples.Resource;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code orders views}: Durable's SQL views, by themselves and joined with the shop's tables ({@code views.sql}). */
@Command(name = "views", description = "Shows what SQL sees: Durable's views and the shop's tables.")
final class ViewsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (OrderSystem system = OrderSystem.atRest()) {
            out.printf("%s%n%n", system.database().description());
            Pattern.compile(";\n")
                    .splitAsStream(Resource.text(ViewsCommand.class, "views.sql"))
                    .map(String::strip)
                    .forEach(query -> out.printf(
                            "%s%n%s%n%n", query, system.shop().ask(query).strip()));
            out.flush();
        }
        return 0;
    }
}
