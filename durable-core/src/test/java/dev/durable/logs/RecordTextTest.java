package dev.durable.logs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Durable;
import dev.durable.history.Payload;
import dev.durable.internal.text.NamedValues;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Records stand in logs and errors: they show names and lengths, and neither payloads nor what gives a right to write. */
class RecordTextTest {
    /** Their text is the engine's own words, or what the application's code and configuration declare. */
    private static final Set<String> WORDS_OF_DECLARATIONS = Set.of(
            "ActivityDeclaration",
            "ActivityDeclaration.Declared",
            "Cancellation.Reason",
            "ChildTarget",
            "ChoreRun",
            "Configuration.Match",
            "Configuration.Property",
            "EmptyObjects.Refusal",
            "EngineContents",
            "EngineNames",
            "Handlers.Validator",
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

    /** A record with more has a group of components that is a noun of its own: a route, deadlines, policies. */
    @Test
    void no_record_has_more_than_ten_components_but_those_that_users_see_flat() throws Exception {
        assertThat(RecordTexts.wide(Durable.class, List.of("dev.durable")))
                .containsExactlyInAnyOrder(
                        // options as annotations, builders and setters have them, one by one
                        "ActivityOptions",
                        "ChildOptions",
                        "ChildStartRequested",
                        "RetryPolicy",
                        "RunFilter",
                        "StartOptions",
                        // what a listing, a description or an observer shows, read by name
                        "ActivityAttemptEnd",
                        "ActivityInfo",
                        "ActivitySummary",
                        "QueueDescription",
                        "RunDetails",
                        "TurnCall",
                        "WorkflowDescription",
                        "WorkflowInfo",
                        "WorkflowSummary",
                        // an event, whose JSON is flat
                        "WorkflowStarted");
    }

    @Test
    void named_values_show_their_names() {
        assertThat(NamedValues.copyOf(Map.of("card", "5500-0000"))).hasToString("[card]");
    }

    @Test
    void a_payload_shows_its_length() {
        assertThat(Payload.of("{\"card\":\"5500-0000\"}")).hasToString("20 characters of JSON");
    }
}
