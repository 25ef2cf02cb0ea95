package dev.durable.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ids that can't be guessed. */
class RandomIdsTest {
    private final RandomIds ids = new RandomIds();

    @Test
    void ids_are_random_uuids_and_no_two_threads_get_the_same() throws Exception {
        Set<UUID> all = ConcurrentHashMap.newKeySet();
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(i -> Thread.ofPlatform().start(() -> {
                    for (int n = 0; n < 10_000; n++) {
                        all.add(ids.get());
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(all).hasSize(40_000).allMatch(id -> id.version() == 4 && id.variant() == 2);
        for (int bit = 0; bit < 64; bit++) {
            long mask = 1L << bit;
            assertThat(all.stream()
                            .filter(id -> (id.getLeastSignificantBits() & mask) != 0)
                            .count())
                    .as("bit %d", bit)
                    .satisfies(ones -> assertThat(ones == 0 || ones == 40_000 || Math.abs(ones - 20_000) < 1_500)
                            .isTrue());
        }
    }
}
