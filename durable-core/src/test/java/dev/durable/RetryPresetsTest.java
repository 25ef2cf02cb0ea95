package dev.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The presets, and the table of their delays in the documentation. */
class RetryPresetsTest {
    private static final List<Integer> SHOWN = List.of(1, 2, 3, 4, 5, 8, 10, 15, 20, 25);

    @Test
    void the_table_in_the_documentation_has_the_delays_of_the_presets() throws IOException {
        assertThat(Files.readString(Path.of("../docs/activities.md")))
                .contains(row("RetryPolicy.temporal()", RetryPolicy.temporal()))
                .contains(row("RetryPolicy.sidekiq()", RetryPolicy.sidekiq()))
                .contains(row("RetryPolicy.fixed(30 s, 10)", RetryPolicy.fixed(Duration.ofSeconds(30), 10)))
                .contains(row("RetryPolicy.none()", RetryPolicy.none()))
                .contains(row("RetryPolicy.DEFAULT", RetryPolicy.DEFAULT));
    }

    @Test
    void every_preset_has_a_row_in_the_table() throws IOException {
        String documented = Files.readString(Path.of("../docs/activities.md"));
        assertThat(Stream.of(RetryPolicy.class.getMethods())
                        .filter(method -> Modifier.isStatic(method.getModifiers()))
                        .filter(method -> method.getReturnType() == RetryPolicy.class))
                .hasSizeGreaterThan(3)
                .allSatisfy(preset -> assertThat(documented).contains("| `RetryPolicy." + preset.getName() + "("));
    }

    @Test
    void sidekiqs_25_retries_take_about_twenty_days() {
        Duration all = IntStream.rangeClosed(1, 25)
                .mapToObj(RetryPolicy.sidekiq()::delayAfter)
                .reduce(Duration.ZERO, Duration::plus);

        assertThat(all).isBetween(Duration.ofDays(20), Duration.ofDays(21));
        assertThat(RetryPolicy.sidekiq().allowsAfter(25)).isTrue();
        assertThat(RetryPolicy.sidekiq().allowsAfter(26)).isFalse();
    }

    @Test
    void fixed_is_the_same_delay_and_none_is_one_attempt() {
        RetryPolicy fixed = RetryPolicy.fixed(Duration.ofSeconds(30), 3);

        assertThat(fixed.delayAfter(1)).isEqualTo(fixed.delayAfter(1_000_000)).isEqualTo(Duration.ofSeconds(30));
        assertThat(fixed.allowsAfter(2)).isTrue();
        assertThat(fixed.allowsAfter(3)).isFalse();
        assertThat(RetryPolicy.none().allowsAfter(1)).isFalse();
    }

    @Test
    void no_growth_overflows() {
        for (RetryPolicy.Growth growth : RetryPolicy.Growth.values()) {
            RetryPolicy steep = new RetryPolicy(
                    0,
                    Duration.ofDays(30_000),
                    1e300,
                    Duration.ofSeconds(Long.MAX_VALUE),
                    1,
                    List.of(),
                    3,
                    growth,
                    null,
                    OnExhausted.FAIL,
                    0);
            for (int attempt : new int[] {1, 2, 3, 64, 1_000_000, Integer.MAX_VALUE}) {
                assertThat(steep.delayAfter(attempt)).isPositive();
            }
            assertThat(steep.delayAfter(Integer.MAX_VALUE)).isEqualTo(steep.maxInterval());
        }
    }

    @Test
    void a_policy_that_can_not_be_is_refused() {
        assertThatThrownBy(() -> RetryPolicy.fixed(Duration.ofSeconds(-1), 3))
                .hasMessage("retry policy: initialInterval must not be negative, not PT-1S");
        assertThatThrownBy(() -> RetryPolicy.temporal().withMaxAttempts(-1))
                .hasMessage("retry policy: maxAttempts must be 0 (unlimited) or more, not -1");
    }

    private static String row(String name, RetryPolicy policy) {
        return Stream.concat(
                        Stream.of(
                                "`" + name + "`", policy.maxAttempts() == 0 ? "unlimited" : "" + policy.maxAttempts()),
                        SHOWN.stream().map(n -> policy.allowsAfter(n) ? shown(policy.delayAfter(n)) : "–"))
                .collect(Collectors.joining(" | ", "| ", " |"));
    }

    private static String shown(Duration delay) {
        Duration whole = Duration.ofSeconds(delay.toSeconds());
        if (whole.compareTo(Duration.ofHours(1)) >= 0) {
            return String.format(java.util.Locale.ROOT, "%.1f h", whole.toMinutes() / 60.0);
        }
        return whole.compareTo(Duration.ofMinutes(10)) >= 0 ? whole.toMinutes() + " min" : whole.toSeconds() + " s";
    }
}
