package dev.durable.internal.declare.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "200ms,PT0.2S",
        "10s,PT10S",
        "5m,PT5M",
        "2h,PT2H",
        "3d,PT72H",
        "0s,PT0S",
        "' 10 s ',PT10S",
        "PT1M30S,PT1M30S",
        "pt1h,PT1H",
        "P3D,PT72H"
    })
    void durations_are_read(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10",
                "ten seconds",
                "10 sec",
                "1.5s",
                "-10s",
                "PT-10S",
                "10M",
                "10s5m",
                "999999999999999999d",
                "99999999999999999999s"
            })
    void what_is_no_duration_is_refused_with_the_forms_that_are(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.parse(text))
                .withMessageContaining("\"" + text + "\" is no duration")
                .withMessageContaining("\"200ms\" \"10s\" \"5m\" \"2h\" \"3d\"")
                .withMessageContaining("PT1M30S");
    }
}
