package dev.durable.spring.operated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowStatus;
import dev.durable.spring.operated.OperatedApplication.TicketWorkflow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

/** An application whose endpoint may not write, and which answers exceptions itself. */
@SpringBootTest(
        classes = OperatedApplication.class,
        properties = {"management.endpoints.web.exposure.include=durable", "durable.web.problem-details=false"})
class UnlessAllowedTest {
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
    void the_endpoint_does_nothing_and_says_what_would_allow_it() {
        client.start(TicketWorkflow.class, "kept", w -> w.run("kept"));
        for (String path : new String[] {"workflows/kept", "queues/default", "nonsense"}) {
            assertThat(http.post()
                            .uri("/actuator/durable/" + path)
                            .contentType(MediaType.APPLICATION_JSON)
                            .content("{\"action\":\"pause\"}"))
                    .hasStatus(HttpStatus.FORBIDDEN)
                    .bodyJson()
                    .extractingPath("$.error")
                    .isEqualTo(
                            "This endpoint only reads. Set durable.actuator.allow-writes=true, and restrict the users that may call it.");
        }
        assertThat(client.queues().list()).noneMatch(queue -> queue.paused());
        assertThat(client.handle("kept").describe().summary().status()).isEqualTo(WorkflowStatus.RUNNING);
    }

    @Test
    void exceptions_of_the_client_reach_the_application_as_they_are() {
        client.start(TicketWorkflow.class, "t-1", w -> w.run("t-1"));

        assertThat(http.post().uri("/tickets/t-1"))
                .hasFailed()
                .failure()
                .rootCause()
                .isInstanceOf(WorkflowAlreadyStartedException.class);
    }
}
