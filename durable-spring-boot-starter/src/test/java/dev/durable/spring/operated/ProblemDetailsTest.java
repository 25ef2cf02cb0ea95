package dev.durable.spring.operated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableClient;
import dev.durable.spring.operated.OperatedApplication.TicketWorkflow;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

/** The answers of a controller in which Durable's client throws. */
@OverHttp
class ProblemDetailsTest {
    @Autowired
    private WebApplicationContext context;

    @Autowired
    private DurableClient client;

    private MockMvcTester http;

    @BeforeEach
    void http() {
        http = MockMvcTester.from(context);
    }

    @Test
    void a_duplicate_start_is_a_conflict_that_names_the_run() {
        UUID run = client.start(TicketWorkflow.class, "t-1", w -> w.run("t-1")).runId();

        assertThat(http.post().uri("/tickets/t-1"))
                .hasStatus(HttpStatus.CONFLICT)
                .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                .bodyJson()
                .isStrictlyEqualTo("""
                        {
                          "type": "urn:durable:problem:already-started",
                          "title": "Already started",
                          "status": 409,
                          "detail": "This id is in use by the run that is named here.",
                          "instance": "/tickets/t-1",
                          "workflowId": "t-1",
                          "runId": "%s"
                        }""".formatted(run));
    }

    @Test
    void what_is_not_there_is_not_found() {
        assertThat(http.post().uri("/tickets/nobody/let"))
                .hasStatus(HttpStatus.NOT_FOUND)
                .bodyJson()
                .extractingPath("$.type")
                .isEqualTo("urn:durable:problem:not-found");
    }

    @Test
    void refused_input_is_a_bad_request_that_repeats_none_of_it() {
        assertThat(http.post().uri("/tickets/{id}", "a\u0007b"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .extractingPath("$.detail")
                .isEqualTo("An id, a name or a value is not what can be taken, or too large. Nothing was written.");
        for (String id : List.of("x".repeat(513), " ", "a\u0000b")) {
            assertThat(http.post().uri("/tickets/{id}", id))
                    .hasStatus(HttpStatus.BAD_REQUEST)
                    .bodyJson()
                    .extractingPath("$.type")
                    .isEqualTo("urn:durable:problem:refused-input");
        }
        assertThat(http.post().uri("/tickets/large/size?size=2000"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .extractingPath("$.type")
                .isEqualTo("urn:durable:problem:refused-input");
    }

    @ParameterizedTest
    @CsvSource({
        "away, 503, unavailable, 5",
        "rolled-back, 503, unavailable, 5",
        "foreign, 503, unavailable, 5",
        "slow, 504, not-yet, 5",
        "stale, 409, no-longer-current,",
        "no-incident, 404, incident-not-found,",
    })
    void each_kind_has_its_status_and_none_shows_its_message(String name, int status, String type, String retryAfter) {
        var answer = http.get().uri("/failures/" + name).exchange();
        assertThat(answer).hasStatus(status);
        assertThat(answer.getResponse().getHeader("Retry-After")).isEqualTo(retryAfter);
        assertThat(answer)
                .bodyText()
                .contains("urn:durable:problem:" + type)
                .doesNotContain("10.0.0.7", "shop", "prod", "ann", "attempt 3");
    }

    @Test
    void the_applications_own_advice_comes_first() {
        assertThat(http.get().uri("/failures/full"))
                .hasStatus(HttpStatus.INSUFFICIENT_STORAGE)
                .hasBodyTextEqualTo("come back tomorrow");
    }

    @Test
    void an_exception_of_the_application_stays_its_own_whatever_its_cause() {
        assertThat(http.get().uri("/failures/own")).hasStatus(HttpStatus.PAYMENT_REQUIRED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"old-data", "usage", "something"})
    void what_no_other_request_would_mend_is_left_to_the_application(String name) {
        assertThat(http.get().uri("/failures/" + name)).hasFailed();
    }
}
