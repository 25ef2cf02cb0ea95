package dev.durable.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IsoInstantTest {

    @Test
    void every_time_reads_as_the_jdk_reads_it() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            Instant exact = Instant.ofEpochSecond(
                    random.nextLong(-60_000_000_000L, 250_000_000_000L), random.nextInt(1_000_000_000));
            for (ChronoUnit unit :
                    new ChronoUnit[] {ChronoUnit.NANOS, ChronoUnit.MICROS, ChronoUnit.MILLIS, ChronoUnit.SECONDS}) {
                Instant at = exact.truncatedTo(unit);
                assertThat(IsoInstant.parse(at.toString())).isEqualTo(at);
            }
        }
        assertThat(IsoInstant.parse("2024-02-29T23:59:59.5Z")).isEqualTo(Instant.parse("2024-02-29T23:59:59.5Z"));
        assertThat(IsoInstant.parse("2026-01-01T24:00:00Z")).isEqualTo(Instant.parse("2026-01-01T24:00:00Z"));
    }

    @Test
    void times_beyond_four_digits_are_left_to_the_jdk() {
        for (Instant far : new Instant[] {Instant.MIN, Instant.MAX, Instant.parse("+10000-01-01T00:00:00Z")}) {
            assertThat(IsoInstant.parse(far.toString())).isEqualTo(far);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "2026-02-30T00:00:00Z",
                "2026-01-01T00:00:00",
                "2026-01-01T00:00:0aZ",
                "2026-01-01T00:00:00.Z0"
            })
    void what_is_no_time_is_refused(String text) {
        assertThatThrownBy(() -> IsoInstant.parse(text)).isInstanceOf(DateTimeException.class);
    }
}
