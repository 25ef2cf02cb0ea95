package dev.durable.samples.fileimport;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.client.WorkflowHandle;
import dev.durable.client.WorkflowQuery;
import dev.durable.samples.CommandErrors;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.embedded.PostgresSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code import}: generates the file where it is missing, and imports it, or goes on with it. */
@Command(
        name = "samples/import",
        description = "Imports a large file in one activity. Kill it at any moment and run it again: it resumes at the"
                + " last checkpoint.",
        sortOptions = false)
public final class Import implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--rows", paramLabel = "N", description = "Rows of the file (default: ${DEFAULT-VALUE}).")
    private long rows = 1_000_000;

    @Option(names = "--checkpoint-every", paramLabel = "N", description = "Rows (default: ${DEFAULT-VALUE}).")
    private int checkpointEvery = 10_000;

    @Option(names = "--lease", paramLabel = "DURATION", hidden = true, description = "PT5S unless set.")
    private Duration lease = Duration.ofSeconds(5);

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this.")
    @SuppressWarnings("unused") // by us; not by picocli
    private boolean help;

    private Import() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new Import())
                .setExecutionExceptionHandler(CommandErrors::explain)
                .execute(args));
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Path file = Path.of(".durable", "readings-" + rows + ".csv");
        if (!Files.exists(file)) {
            say(out, "generating %s".formatted(file));
            ReadingsGenerator.write(file, rows);
        }
        try (PostgresSource database = PostgresSource.open();
                ProgressWatch watch = new ProgressWatch(out, rows);
                DurableEngine engine = engine(database, watch)) {
            long imported = startOrFind(engine.client(), file, out).resultAs(Long.class);
            say(out, "imported: %,d rows of %s, in table weather.reading".formatted(imported, file));
        }
        return 0;
    }

    private DurableEngine engine(PostgresSource database, ReadingsImporter.Watch watch) {
        return DurableEngine.builder(PostgresHistoryStore.of(database.dataSource()))
                .register(ImportWorkflow.class, new ReadingsImporter(ReadingsTable.on(database.dataSource()), watch))
                .sessionLease(lease)
                .start();
    }

    private WorkflowHandle<ImportWorkflow, ?> startOrFind(DurableClient client, Path file, PrintWriter out) {
        String id = "import-" + file.getFileName();
        List<WorkflowQuery.Row> known =
                client.workflows().where(w -> w.workflowId(id)).page(1);
        if (known.isEmpty()) {
            say(out, "starting " + id);
            return client.start(ImportWorkflow.class, id, w -> w.run(file.toString(), checkpointEvery));
        }
        say(
                out,
                known.getFirst().status().closed()
                        ? id + " ended before"
                        : "continuing %s; what a killed process held is free after %d s"
                                .formatted(id, lease.toSeconds()));
        return client.handle(ImportWorkflow.class, id);
    }

    private static void say(PrintWriter out, String what) {
        out.println(what);
        out.flush();
    }
}
