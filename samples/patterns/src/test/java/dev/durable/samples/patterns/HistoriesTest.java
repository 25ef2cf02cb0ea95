package dev.durable.samples.patterns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.testing.Replayer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Histories of the demonstrations, as earlier code recorded them on PostgreSQL: {@code samples/patterns/run --export
 * samples/patterns/src/test/resources/histories saga}.
 */
class HistoriesTest {
    private static final Path HISTORIES = Path.of("src/test/resources/histories");

    static List<Demo> demos() {
        return Patterns.ALL;
    }

    @ParameterizedTest
    @MethodSource("demos")
    void theRecordedHistoryReplays(Demo demo) {
        Replayer replayer = Replayer.of(demo.workflows().toArray(Class<?>[]::new));

        assertThat(replayer.replay(HISTORIES.resolve(demo.name() + ".json"))).isOne();
    }
}
