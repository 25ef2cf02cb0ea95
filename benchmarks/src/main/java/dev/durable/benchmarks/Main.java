package dev.durable.benchmarks;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code benchmarks/run}. */
@Command(
        name = "benchmarks/run",
        description = "Measures Durable, beside its peers and beside what its tables allow.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
final class Main implements Callable<Integer> {
    private static final Map<String, Scenario> SCENARIOS =
            Map.of("steps1", new Steps(1, false), "steps10", new Steps(10, false), "local10", new Steps(10, true));

    @Spec
    private CommandSpec spec;

    @Option(names = "--scenario", required = true, paramLabel = "NAME", description = "What is measured.")
    private String scenario;

    @Option(names = "--rounds", paramLabel = "N", description = "How often; the medians count.", defaultValue = "3")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long each time.", defaultValue = "5")
    private int seconds;

    @Option(names = "--warmup", paramLabel = "S", description = "The same before, unmeasured.", defaultValue = "2")
    private int warmup;

    @Option(names = "--in-flight", paramLabel = "N", description = "Runs at once.", defaultValue = "256")
    private int inFlight;

    @Option(names = "--size", paramLabel = "N", description = "Of the scenario; 0 is its own.", defaultValue = "0")
    private int size;

    @Option(names = "--slots", paramLabel = "N", description = "Activities at once (Durable).", defaultValue = "256")
    private int slots;

    @Option(names = "--virtual-threads", description = "Run activities on virtual threads (Durable).")
    private boolean virtualThreads;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Size of the pool; 0 is each contestant's own.",
            defaultValue = "0")
    private int connections;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where the embedded server keeps its data; on a real disk, else commits cost nothing.")
    private Path data = Path.of(System.getProperty("benchmarks.home", "benchmarks"), "target", "postgres");

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        Settings settings = new Settings(
                Duration.ofSeconds(seconds),
                Duration.ofSeconds(warmup),
                inFlight,
                connections,
                slots,
                virtualThreads,
                size);
        Scenario chosen = SCENARIOS.get(scenario);
        if (chosen == null) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "There is no scenario " + scenario + "; there are " + SCENARIOS.keySet());
        }
        try (Server server = Server.open(data)) {
            out.println(server.settings());
            for (int round = 1; round <= rounds; round++) {
                Database database = server.fresh();
                try (Contestant durable = new DurableContestant(database, settings)) {
                    Figures figures = chosen.measure(durable, database, settings);
                    figures.figures().forEach(f -> out.printf("  %-16s %,12.2f%n", f.name(), f.value()));
                    out.flush();
                }
            }
        }
        return 0;
    }
}
