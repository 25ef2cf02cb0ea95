package dev.durable.logs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.history.Payload;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Records stand in logs and errors: they show names and lengths, and neither payloads nor what gives a right to write. */
class RecordTextTest {
    /** Their text is the engine's own words, or what the application's code and configuration declare. */
    private static final Set<String> WORDS_OF_DECLARATIONS = Set.of(
            "ActivityDeclaration",
            "ActivityDeclaration.Declared",
            "Cancellation.Reason",
            "ChoreRun",
            "Configuration.Match",
            "Configuration.Property",
            "EmptyObjects.Refusal",
            "EngineContents",
            "EngineNames",
            "InterceptedEngine",
            // what is in the MDC is meant to stand in logs
            "MdcPropagator.1Before",
            "ThreadState",
            "Overridden",
            "PayloadType.Review",
            "PendingWait",
            "Problem",
            "ResolvedTypes.ArrayOf",
            "ResolvedTypes.Parameterized",
            "ResolvedTypes.Wildcard",
            "RicherThanJson.Loss",
            "SideBySide.Row",
            // masked, and meant for logs and problems
            "StallReport",
            "Tries.Lasting",
            "TurnLog.Line",
            "Unserialisable.Reason");

    @Test
    void no_record_shows_a_payload_or_a_token() throws Exception {
        assertThat(RecordTexts.leaks(Durable.class, List.of("dev.durable"), WORDS_OF_DECLARATIONS))
                .isEmpty();
    }

    @Test
    void a_payload_shows_its_length() {
        assertThat(Payload.of("{\"card\":\"5500-0000\"}")).hasToString("20 characters of JSON");
    }
}
