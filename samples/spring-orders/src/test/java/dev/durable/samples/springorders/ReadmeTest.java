package dev.durable.samples.springorders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs the commands of the README against the application, one after another, and compares what they print with what is
 * shown below them. There "…" stands for any text, on a line of its own for any lines.
 */
@Tag("slow")
class ReadmeTest extends RunningApplication {
    private static final String PROMPT = "$ ";

    /**
     * @param line the command
     * @param shown what the README shows below it
     */
    record Command(String line, List<String> shown) {
        /** Returns whether the command only asks, so that it may be repeated until its answer is the expected one. */
        boolean asks() {
            return !line.contains(" -d ");
        }

        Pattern pattern() {
            return Pattern.compile(shown.stream()
                    .map(text -> text.equals("…") ? "(.*\n)*" : anyText(text) + "\\h*\n")
                    .collect(Collectors.joining("", "", "\\s*")));
        }

        private static String anyText(String text) {
            return Pattern.quote(text).replace("…", "\\E.*\\Q");
        }
    }

    @Test
    void everyCommandPrintsWhatIsShown() throws Exception {
        assumeTrue(run("command -v curl").contains("curl"), "needs curl");
        List<Command> commands = commands();
        assertThat(commands).hasSizeGreaterThan(5);
        for (Command command : commands) {
            if (command.asks()) {
                Awaitility.await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> assertPrints(command));
            } else {
                assertPrints(command);
            }
        }
    }

    private void assertPrints(Command command) throws Exception {
        assertThat(run(command.line().replace("localhost:8080", "localhost:" + port)))
                .as(command.line())
                .matches(command.pattern());
    }

    private static String run(String command) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("bash", "-c", command)
                .redirectErrorStream(true)
                .start();
        String printed = new String(shell.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        shell.waitFor();
        return printed.replace("\r", "") + "\n";
    }

    private static List<Command> commands() throws IOException {
        List<Command> commands = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            if (line.startsWith("```")) {
                inside = line.equals("```console");
            } else if (inside && line.startsWith(PROMPT)) {
                commands.add(new Command(line.substring(PROMPT.length()), new ArrayList<>()));
            } else if (inside) {
                commands.getLast().shown().add(line);
            }
        }
        return commands;
    }
}
