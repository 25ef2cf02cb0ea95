package dev.durable.samples.patterns;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command of the README, with all names: a process of its own, on the embedded server in a folder. */
@Tag("slow")
class PatternsTest {
    private static final Map<String, String> OUTCOMES = Map.ofEntries(
            Map.entry("saga", "trip-to-lisbon failed: no car is left"),
            Map.entry("transfer", "transfer-4711 completed: moved"),
            Map.entry("polling", "report-of-may completed: the sales of May"),
            Map.entry("timer", "reminder-of-ann completed: "),
            Map.entry("batch", "batch-of-may completed: {next=30, done=29, failed=1}"),
            Map.entry("approval", "request-of-a-chair completed: {by=ben, granted=true}"),
            Map.entry("entity", "points-of-ann completed: 120"),
            Map.entry("fanout", "newsletter-of-may completed: {sent=19, failed=[reader-13], untried=[]}"),
            Map.entry("statemachine", "parcel-7 completed: DELIVERED"),
            Map.entry("ratelimit", "sync-of-acme completed: 10"),
            Map.entry("humantask", "claim-12 completed: pay 1200.00, says ann"),
            Map.entry("agent", "question-of-ann completed: It is invoice 7 of 12.00 EUR"));

    @TempDir
    private Path folder;

    @Test
    void eachPatternRunsOnPostgres() throws Exception {
        Path export = Path.of(System.getProperty("patterns.export", folder.toString()));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Patterns.class.getName(),
                "--export",
                export.toAbsolutePath().toString()));
        Patterns.ALL.forEach(demo -> command.add(demo.name()));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader printed = process.inputReader()) {
            List<String> lines = printed.lines().toList();

            assertThat(process.waitFor()).as("%s", lines).isZero();
            for (Demo demo : Patterns.ALL) {
                assertThat(lines)
                        .anySatisfy(
                                line -> assertThat(line).startsWith(demo.name() + ": " + OUTCOMES.get(demo.name())));
                assertThat(export.resolve(demo.name() + ".json")).isNotEmptyFile();
            }
        }
    }
}
