package dev.durable.benchmarks.command;

import dev.durable.benchmarks.Peer;
import dev.durable.benchmarks.Scenario;
import dev.durable.benchmarks.Settings;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the benchmarks, {@code benchmarks/run}: measures Durable beside its peers and beside what its tables
 * allow. */
@Command(
        name = "benchmarks/run",
        description =
                "Measures Durable, beside its peers and beside what its tables allow. docs/performance.md says how.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false)
final class Main implements Callable<Integer> {
    private static final Path HOME = Path.of(System.getProperty("benchmarks.home", "benchmarks"));

    @Spec
    private CommandSpec spec;

    @Option(names = "--scenario", required = true, paramLabel = "NAME", description = "What is measured.")
    private String scenario;

    @Option(
            names = "--peers",
            paramLabel = "NAME",
            split = ",",
            description = "Who is measured beside Durable: observed, limit, dbos, db-scheduler, jobrunr.")
    private List<String> peers = List.of();

    @Option(
            names = "--base",
            paramLabel = "DIR",
            description = "Durable as another checkout has it is measured, too: its directory, in which benchmarks/run"
                    + " has been called once.")
    private @Nullable Path base;

    @Option(names = "--rounds", paramLabel = "N", description = "How often; medians count.", defaultValue = "3")
    private int rounds;

    @Option(names = "--json", paramLabel = "FILE", description = "Where the figures go, too.")
    private @Nullable Path json;

    @Option(names = "--seconds", paramLabel = "S", description = "How long each time.", defaultValue = "5")
    private int seconds;

    @Option(
            names = "--warmup",
            paramLabel = "S",
            description =
                    "The same before, unmeasured; a quarter of it where this process is warm already, after the first"
                            + " round of each.",
            defaultValue = "90")
    private int warmup;

    @Option(names = "--in-flight", paramLabel = "N", description = "Runs at once.", defaultValue = "256")
    private int inFlight;

    @Option(names = "--size", paramLabel = "N", description = "Of the scenario; 0 is its own.", defaultValue = "0")
    private int size;

    @Option(names = "--two-processes", description = "The client has a process of its own (latency, updates).")
    private boolean twoProcesses;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Durable: activities at once; 0 is twice as many as there are runs, and at least 256.",
            defaultValue = "0")
    private int slots;

    @Option(
            names = "--platform-threads",
            description = "Durable: activities on platform threads; by default on virtual ones, as with DBOS.")
    private boolean platformThreads;

    @Option(
            names = "--session-lease",
            paramLabel = "S",
            description = "Durable: how long the work of a dead process lies.",
            defaultValue = "5")
    private int sessionLease;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Size of the pool; 0 is each one's own.",
            defaultValue = "0")
    private int connections;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Of the embedded server; on a real disk, or commits cost nothing (default:"
                    + " benchmarks/target/postgres). DURABLE_JDBC_URL, _USER and _PASSWORD name another server.",
            showDefaultValue = CommandLine.Help.Visibility.NEVER)
    private Path data = HOME.resolve("target/postgres");

    public static void main(String[] arguments) {
        System.exit(command().execute(arguments));
    }

    static CommandLine command() {
        return new CommandLine(new Main()).setExecutionExceptionHandler((e, command, parsed) -> {
            if (!(e instanceof Server.NotThere)) {
                throw e;
            }
            command.getErr().println("benchmarks/run: " + e.getMessage());
            return command.getCommandSpec().exitCodeOnExecutionException();
        });
    }

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        Scenario chosen = Scenario.all().get(scenario);
        if (chosen == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "There is no scenario " + scenario + "; there are "
                            + String.join(", ", Scenario.all().keySet()));
        }
        List<Peer> taking = taking();
        try (Base here = base == null ? null : Base.of(HOME.resolveSibling("."));
                Base before = base == null ? null : Base.of(base);
                Server server = Server.open(data)) {
            out.println(server.settings());
            out.println("JDK " + Runtime.version() + ", " + collector() + " GC, "
                    + Runtime.getRuntime().availableProcessors() + " CPUs");
            Report report = new Report(scenario, server.settings(), options());
            new Rounds(server, chosen, scenario, loaded(here, before), settings(), report, out).play(rounds, taking);
            report.print(out);
            if (json != null) {
                report.write(json);
            }
        }
        return 0;
    }

    private static Map<Peer, Base> loaded(@Nullable Base here, @Nullable Base before) {
        return here == null || before == null ? Map.of() : Map.of(Peer.DURABLE, here, Peer.BASE, before);
    }

    private List<Peer> taking() {
        List<Peer> taking = new ArrayList<>(List.of(Peer.DURABLE));
        if (base != null) {
            taking.add(Peer.BASE);
        }
        try {
            peers.stream()
                    .map(Peer::labelled)
                    .filter(peer -> !taking.contains(peer))
                    .forEach(taking::add);
        } catch (IllegalArgumentException unknown) {
            throw new ParameterException(spec.commandLine(), unknown.getMessage());
        }
        return taking;
    }

    private Settings settings() throws Exception {
        Path ledger = Files.createDirectories(HOME.resolve("target")).resolve("ledger");
        return new Settings(
                Duration.ofSeconds(seconds),
                Duration.ofSeconds(warmup),
                inFlight,
                size,
                twoProcesses,
                new Settings.Worker(
                        connections,
                        slots > 0 ? slots : Math.max(256, 2 * inFlight),
                        !platformThreads,
                        Duration.ofSeconds(sessionLease)),
                ledger);
    }

    private Map<String, String> options() {
        Map<String, String> options = new LinkedHashMap<>();
        for (var option : spec.options()) {
            if (!option.usageHelp()
                    && !option.versionHelp()
                    && !option.longestName().matches("--(json|data|scenario|base)")) {
                options.put(option.longestName().substring(2), String.valueOf(option.<Object>getValue()));
            }
        }
        options.put("jdk", Runtime.version().toString());
        options.put("gc", collector());
        options.put("cpus", Integer.toString(Runtime.getRuntime().availableProcessors()));
        return options;
    }

    /** As its beans are called: those of the parallel collector begin with PS, those of G1 with G1. */
    private static String collector() {
        return ManagementFactory.getGarbageCollectorMXBeans().getFirst().getName();
    }
}
