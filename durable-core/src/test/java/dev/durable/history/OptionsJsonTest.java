package dev.durable.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.durable.ActivityOptions;
import dev.durable.internal.declare.OptionsAtCallSite;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What of options that were read is remembered. */
class OptionsJsonTest {
    private static final int MEBI = 1 << 20;

    @Test
    void long_texts_are_forgotten_before_they_fill_the_heap() {
        LoadingCache<String, Integer> read = OptionsJson.remembering(String::length);
        for (int i = 0; i < 50; i++) {
            assertThat(read.get(i + "x".repeat(MEBI / 2))).isGreaterThan(MEBI / 2);
            read.cleanUp();
        }
        assertThat(read.asMap().keySet().stream().mapToLong(String::length).sum())
                .isBetween(1L, 2L * MEBI);
        assertThat(read.get("y".repeat(3 * MEBI))).isEqualTo(3 * MEBI);
        read.cleanUp();
        assertThat(read.asMap()).doesNotContainValue(3 * MEBI);
    }

    @Test
    void thousands_of_short_texts_are_remembered() {
        LoadingCache<String, Integer> read = OptionsJson.remembering(String::length);
        for (int i = 0; i < 2_000; i++) {
            assertThat(read.get("{\"startToClose\":" + i + "}")).isPositive();
        }
        read.cleanUp();
        assertThat(read.asMap()).hasSize(2_000);
    }

    @Test
    void what_a_store_decides_by_is_read_from_options_that_this_version_does_not_know_all_of() {
        String newer =
                "{\"startToClose\":\"soon\",\"retry\":{\"growth\":\"NEW\",\"onExhausted\":\"INCIDENT\"}, \"atMostOnce\" : true,\"expiresAt\":\"2026-03-01T09:00:00Z\"}";
        String said = OptionsJson.encode(new OptionsAtCallSite()
                .header("x", "\"atMostOnce\":true,\"expiresAt\":\"2026-03-01T09:00:00Z\",\"onExhausted\":\"INCIDENT\"")
                .apply(ActivityOptions.DEFAULT));

        assertThat(OptionsJson.isAtMostOnce(newer)).isTrue();
        assertThat(OptionsJson.expiresAt(newer)).isEqualTo("2026-03-01T09:00:00Z");
        assertThat(OptionsJson.onExhausted(newer)).isEqualTo("INCIDENT");
        for (String none : List.of(said, "{}", "5", "{\"retry\":5,\"expiresAt\":\"never\",\"atMostOnce\":\"true\"}")) {
            assertThat(OptionsJson.isAtMostOnce(none)).as(none).isFalse();
            assertThat(OptionsJson.expiresAt(none)).as(none).isNull();
            assertThat(OptionsJson.onExhausted(none)).as(none).isNull();
        }
    }
}
