package dev.durable.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.LoadingCache;
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
}
