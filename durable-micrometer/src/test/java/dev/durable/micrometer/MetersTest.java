package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.store.postgres.testing.TestDatabase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Code, {@code docs/metrics.md}, dashboard and alerts against what a real run on PostgreSQL emits. */
@Tag("slow")
class MetersTest {
    private static final Path DOCUMENT = Path.of("../docs/metrics.md");
    private static final Path GLOSSARY = Path.of("../docs/concepts.md");
    private static final Path DASHBOARD = Path.of("../dashboards/grafana/durable.json");
    private static final Path RULES = Path.of("../dashboards/prometheus/durable-rules.yml");
    private static final Pattern ROW =
            Pattern.compile("^\\| `(durable\\.[a-z.]+)` \\| (\\w+) \\| ([^|]*) \\|", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`(durable\\.[a-z.]+)`");
    private static final Pattern SERIES = Pattern.compile("\\bdurable_[a-z_]+");
    private static final Pattern TYPED = Pattern.compile("^([a-z_]+)(?:\\{[^}]*})? ", Pattern.MULTILINE);

    private static final PrometheusMeterRegistry REGISTRY = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private static final Map<String, Set<String>> EMITTED = new TreeMap<>();
    private static final Set<String> SCRAPED = new TreeSet<>();

    @BeforeAll
    static void run() throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            new RealRun(database, REGISTRY, MetersTest::look).run();
        }
    }

    private static void look() {
        for (Meter meter : REGISTRY.getMeters()) {
            if (hasValue(meter)) {
                EMITTED.computeIfAbsent(meter.getId().getName(), name -> new TreeSet<>())
                        .addAll(meter.getId().getTags().stream()
                                .map(tag -> tag.getKey())
                                .filter(key -> !key.equals("process"))
                                .toList());
            }
        }
        TYPED.matcher(REGISTRY.scrape()).results().map(line -> line.group(1)).forEach(SCRAPED::add);
    }

    private static boolean hasValue(Meter meter) {
        return switch (meter) {
            case Counter counter -> counter.count() > 0;
            case Timer timer -> timer.count() > 0;
            case DistributionSummary summary -> summary.count() > 0;
            default -> true;
        };
    }

    @Test
    void every_meter_is_emitted_by_a_real_run_and_every_emitted_one_is_listed() {
        assertThat(EMITTED.keySet())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(DurableMeter.values())
                        .map(DurableMeter::meterName)
                        .toList());
    }

    @Test
    void every_meter_has_the_tags_that_it_says() {
        for (DurableMeter meter : DurableMeter.values()) {
            assertThat(EMITTED.get(meter.meterName()))
                    .as(meter.meterName())
                    .containsExactlyInAnyOrderElementsOf(meter.tags());
        }
    }

    @Test
    void the_document_lists_every_meter_with_its_kind_and_tags_and_no_other() throws IOException {
        Set<String> documented = ROW.matcher(Files.readString(DOCUMENT))
                .results()
                .map(MetersTest::documented)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(DurableMeter.values())
                        .map(meter -> "%s %s %s"
                                .formatted(
                                        meter.meterName(),
                                        meter.kind().name().toLowerCase(Locale.ROOT),
                                        String.join(" ", meter.tags())))
                        .toList());
    }

    @Test
    void the_glossary_names_every_meter_once_and_no_other() throws IOException {
        String meters = Files.readString(GLOSSARY).split("### Meters", -1)[1];

        assertThat(NAME.matcher(meters).results().map(name -> name.group(1)))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(DurableMeter.values())
                        .map(DurableMeter::meterName)
                        .toList());
    }

    private static String documented(MatchResult row) {
        String tags = row.group(3).replace("`", "").replace(",", "").strip();
        return row.group(1) + " " + row.group(2) + " " + (tags.equals("–") ? "" : tags);
    }

    @Test
    void no_value_of_a_tag_is_an_id_of_a_run() {
        assertThat(REGISTRY.scrape())
                .contains("workflow=\"Everything\"", "activity=\"Doing.well\"")
                .doesNotContain("everything\"", "waiting-1", "orphan");
    }

    @Test
    void dashboard_and_alerts_ask_for_series_that_a_real_run_emits() throws IOException {
        for (Path file : Set.of(DASHBOARD, RULES)) {
            assertThat(asked(file)).as(file.toString()).isNotEmpty().isSubsetOf(SCRAPED);
        }
    }

    private static Set<String> asked(Path file) throws IOException {
        return Stream.of(Files.readString(file))
                .flatMap(text -> SERIES.matcher(text).results())
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
