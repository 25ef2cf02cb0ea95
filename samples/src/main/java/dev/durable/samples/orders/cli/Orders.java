package dev.durable.samples.orders.cli;

import dev.durable.samples.CommandErrors;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/** The command {@code orders}. */
@Command(
        name = "samples/orders",
        description = "Fulfils the orders of a web shop, one durable workflow each.",
        subcommands = {
            RunCommand.class,
            ListCommand.class,
            HistoryCommand.class,
            ApproveCommand.class,
            ExportCommand.class,
            ViewsCommand.class
        },
        footer = {
            "",
            "Works on the PostgreSQL of DURABLE_JDBC_URL, DURABLE_JDBC_USER and",
            "DURABLE_JDBC_PASSWORD; without them on one of its own, in .durable/postgres."
        })
public final class Orders {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Shows this.")
    @SuppressWarnings("unused") // by us; not by picocli
    private boolean help;

    private Orders() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new Orders())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(Duration.class, Orders::duration)
                .setExecutionExceptionHandler(CommandErrors::explain)
                .execute(args));
    }

    private static Duration duration(String text) {
        try {
            return Duration.parse("PT" + text);
        } catch (DateTimeParseException e) {
            throw new TypeConversionException("\"" + text + "\" is not a time such as 30s, 15m, 72h");
        }
    }
}
