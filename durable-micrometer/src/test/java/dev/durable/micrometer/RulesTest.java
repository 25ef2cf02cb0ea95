package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The alerts: what Prometheus itself says of given series, where it is installed, and what the documents say of them. */
class RulesTest {
    private static final Path FOLDER = Path.of("../dashboards/prometheus");
    private static final Path OPERATING = Path.of("../docs/operating.md");
    private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");
    private static final Pattern TESTED = Pattern.compile("alertname: (\\w+)");
    private static final Pattern NAMED = Pattern.compile("`(Durable\\w+)`");
    private static final Pattern RUNBOOK = Pattern.compile("runbook: docs/operating\\.md#(\\S+)");

    @Test
    void alerts_say_of_gaps_deployments_and_outages_what_their_tests_expect() throws IOException, InterruptedException {
        Path promtool = promtool();
        assumeTrue(
                promtool != null,
                "needs promtool of Prometheus 2.42 or newer on the PATH, or -Ddurable.test.promtool=");
        Process tested = new ProcessBuilder(
                        Objects.requireNonNull(promtool).toString(), "test", "rules", "durable-rules.test.yml")
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(tested.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tested.waitFor()).as(said).isZero();
    }

    @Test
    void each_alert_is_tested_and_has_its_section_of_the_runbook() throws IOException {
        String rules = Files.readString(FOLDER.resolve("durable-rules.yml"));
        String operating = Files.readString(OPERATING);

        Set<String> alerts = found(ALERT, rules);
        assertThat(found(TESTED, Files.readString(FOLDER.resolve("durable-rules.test.yml"))))
                .isEqualTo(alerts);
        assertThat(found(NAMED, operating)).containsAll(alerts);
        assertThat(operating
                        .lines()
                        .filter(line -> line.startsWith("## "))
                        .map(line -> line.substring(3).toLowerCase(Locale.ROOT).replace(' ', '-')))
                .containsAll(found(RUNBOOK, rules));
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult one) -> one.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static @Nullable Path promtool() {
        String given = System.getProperty("durable.test.promtool", "");
        List<String> folders = List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
        return Stream.concat(
                        given.isEmpty() ? Stream.empty() : Stream.of(Path.of(given)),
                        folders.stream().map(folder -> Path.of(folder, "promtool")))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }
}
