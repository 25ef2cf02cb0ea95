package dev.durable.spring.operated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.history.WorkflowPaused;
import dev.durable.history.WorkflowTerminated;
import dev.durable.spring.operated.OperatedApplication.Desk;
import dev.durable.spring.operated.OperatedApplication.TicketWorkflow;
import dev.durable.spring.operated.OperatedApplication.TurnstileWorkflow;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.context.WebApplicationContext;

/** {@code /actuator/durable}, {@code /actuator/info} and {@code /actuator/health}, as an operator asks them. */
@OverHttp
class EndpointTest {
    @Autowired
    private WebApplicationContext context;

    @Autowired
    private DurableClient client;

    @Autowired
    private DurableEngine engine;

    @Autowired
    private Desk desk;

    @Autowired
    private HealthEndpointGroups groups;

    private MockMvcTester http;

    @BeforeEach
    void http() {
        http = MockMvcTester.from(context);
    }

    @Test
    void the_overview_names_the_sections() {
        assertThat(get("")).bodyJson().extractingPath("$.sections").asArray().contains("workflows", "config");
        assertThat(get("")).bodyJson().extractingPath("$.healthy").isEqualTo(true);
        assertThat(get("/nonsense")).hasStatus(HttpStatus.NOT_FOUND);
    }

    @Test
    void workflows_are_listed_page_by_page_and_shown_one_by_one_without_payloads() {
        client.start(TicketWorkflow.class, "secret/1", w -> w.run("payload-1"));
        client.start(TicketWorkflow.class, "secret/2", w -> w.run("payload-2"));

        assertThat(get("/workflows?type=TicketWorkflow&status=running&limit=1"))
                .hasStatusOk()
                .bodyJson()
                .extractingPath("$.items[0].status")
                .isEqualTo("RUNNING");
        assertThat(get("/workflows/secret/1"))
                .bodyText()
                .contains("\"workflowId\":\"secret/1\"", "\"startedBy\"")
                .doesNotContain("payload-1");
        assertThat(get("/workflows?type=TicketWorkflow&status=running&limit=1"))
                .bodyJson()
                .extractingPath("$.next")
                .isNotNull();
        assertThat(get("/workflows?type=TicketWorkflow&limit=100"))
                .bodyJson()
                .extractingPath("$.next")
                .isNull();
        assertThat(get("/workflows/nobody")).hasStatus(HttpStatus.NOT_FOUND);
        assertThat(get("/workflows?status=sleepy"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyText()
                .contains("status is one of", "STALLED");
        assertThat(get("/workflows?limit=1000")).hasStatus(HttpStatus.BAD_REQUEST);
        assertThat(get("/workflows?next=nonsense")).hasStatus(HttpStatus.BAD_REQUEST);
    }

    @Test
    void a_run_is_shown_with_its_chain_and_with_the_line_of_its_code() {
        var turnstile = client.start(TurnstileWorkflow.class, "turnstile", w -> w.run(true));
        String first = String.valueOf(turnstile.runId());
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> client.handle("turnstile").describe().summary().details() != null);

        MvcTestResult shown = get("/workflows/turnstile");
        assertThat(shown).bodyJson().extractingPath("$.details").isEqualTo("waits for the next guest");
        assertThat(shown).bodyJson().extractingPath("$.chain.firstRunId").isEqualTo(first);
        assertThat(shown).bodyJson().extractingPath("$.chain.previousRunId").isEqualTo(first);
        assertThat(shown).bodyJson().extractingPath("$.chain.nextRunId").isNull();
        assertThat(shown).bodyJson().extractingPath("$.parent").isNull();
        client.handle("turnstile").terminate("seen");
    }

    @Test
    void workers_and_queues_are_listed() {
        assertThat(get("/workers"))
                .bodyJson()
                .extractingPath("$.workers[0].thisProcess")
                .isEqualTo(true);
        assertThat(get("/queues"))
                .hasStatusOk()
                .bodyText()
                .contains("\"pausedActivities\"", "\"taskQueue\":\"default\"");
        assertThat(get("/queues/default")).bodyJson().extractingPath("$.paused").isEqualTo(false);
    }

    @Test
    void the_configuration_is_shown_without_secrets() {
        assertThat(get("/config"))
                .bodyText()
                .contains("\"durable.web\"", "maxPayloadSize")
                .doesNotContain("hunter2", "hunter3", "1000B");
    }

    @Test
    void an_incident_is_retried_by_whom_the_request_is_from() {
        client.start(TicketWorkflow.class, "bad-1", w -> w.run("bad-1"));
        client.handle(TicketWorkflow.class, "bad-1").signal(TicketWorkflow::let);
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> client.incidents().count() == 1);

        assertThat(get("/incidents"))
                .bodyText()
                .contains("\"workflowId\":\"bad-1\"", "no ink")
                .doesNotContain("hunter2");
        assertThat(get("/incidents/bad-1/1"))
                .bodyJson()
                .extractingPath("$.activity")
                .isEqualTo("Desk.stamp");
        // the attempt that was made, of one
        assertThat(get("/incidents"))
                .bodyJson()
                .extractingPath("$.items[0].attempt")
                .isEqualTo(1);
        assertThat(get("/incidents/bad-1/1"))
                .bodyJson()
                .extractingPath("$.attempt")
                .isEqualTo(1);
        desk.mended.set(true);
        assertThat(act("/incidents/bad-1/1", "retry")).hasStatusOk();

        assertThat(client.handle("bad-1").resultAs(String.class)).isEqualTo("stamped bad-1");
        assertThat(client.audit()
                        .where(a -> a.workflowId("bad-1"))
                        .page(1)
                        .getFirst()
                        .actor())
                .isEqualTo("ann");
        assertThat(act("/incidents/bad-1/1", "retry")).hasStatus(HttpStatus.NOT_FOUND);
    }

    @Test
    void a_queue_is_paused_and_resumed() {
        assertThat(act("/queues/default", "pause"))
                .bodyJson()
                .extractingPath("$.done")
                .isEqualTo(true);
        assertThat(get("/queues/default")).bodyJson().extractingPath("$.paused").isEqualTo(true);
        assertThat(act("/queues/default", "resume")).hasStatusOk();
        assertThat(act("/activities/Desk.stamp", "pause")).hasStatusOk();
        assertThat(get("/queues")).bodyText().contains("Desk.stamp");
        assertThat(act("/activities/Desk.stamp", "resume")).hasStatusOk();
        assertThat(client.audit().where(a -> a.actor("ann")).page(100))
                .filteredOn(row -> List.of("default", "Desk.stamp").contains(row.target()))
                .extracting(row -> row.action() + " " + row.details())
                .containsExactlyInAnyOrder(
                        "pause queue {\"reason\":\"wrong customer\"}",
                        "resume queue {\"reason\":\"wrong customer\"}",
                        "pause activity {\"reason\":\"wrong customer\"}",
                        "resume activity {\"reason\":\"wrong customer\"}");
    }

    @Test
    void what_is_done_to_a_workflow_is_in_its_history_and_in_the_audit_with_who_did_it() {
        client.start(TicketWorkflow.class, "t-9", w -> w.run("t-9"));
        for (String action : List.of("pause", "resume", "terminate")) {
            assertThat(act("/workflows/t-9", action)).as(action).hasStatusOk();
        }
        // a run of its own: once it is cancelled it ends by itself, before an operator terminates it
        client.start(TicketWorkflow.class, "t-9-cancelled", w -> w.run("t-9-cancelled"));
        assertThat(act("/workflows/t-9-cancelled", "cancel")).hasStatusOk();
        assertThat(get("/workflows/t-9"))
                .bodyJson()
                .extractingPath("$.failure")
                .isEqualTo("dev.durable.Terminated: wrong customer");
        assertThat(client.audit().where(a -> a.workflowId("t-9")).page(9))
                .extracting(row -> row.actor() + " " + row.action())
                .containsExactlyInAnyOrder("ann pause run", "ann resume run", "ann terminate run");
        assertThat(client.audit().where(a -> a.workflowId("t-9-cancelled")).page(9))
                .extracting(row -> row.actor() + " " + row.action())
                .containsExactly("ann cancel run");
        assertThat(client.history("t-9").events(WorkflowPaused.class))
                .extracting(event -> event.by() + ": " + event.reason())
                .containsExactly("ann: wrong customer");
        assertThat(client.history("t-9").events(WorkflowTerminated.class))
                .extracting(event -> event.by() + ": " + event.reason())
                .containsExactly("ann: wrong customer");
    }

    @Test
    void of_a_request_that_names_nobody_the_process_is_the_actor() {
        client.start(TicketWorkflow.class, "t-11", w -> w.run("t-11"));
        assertThat(http.post()
                        .uri("/actuator/durable/workflows/t-11")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"action\": \"terminate\"}"))
                .hasStatusOk();
        assertThat(client.audit()
                        .where(a -> a.workflowId("t-11"))
                        .page(1)
                        .getFirst()
                        .actor())
                .isEqualTo(engine.worker().identity());
    }

    @Test
    void of_a_request_that_is_not_authenticated_the_audit_says_so_of_whom_it_names() {
        client.start(TicketWorkflow.class, "t-13", w -> w.run("t-13"));
        assertThat(http.post()
                        .uri("/actuator/durable/workflows/t-13")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"action\": \"terminate\", \"by\": \"ann\"}"))
                .hasStatusOk();
        assertThat(client.audit()
                        .where(a -> a.workflowId("t-13"))
                        .page(1)
                        .getFirst()
                        .actor())
                .isEqualTo("ann (not authenticated)");
        assertThat(http.post()
                        .uri("/actuator/durable/queues/default")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"action\": \"pause\", \"by\": \"ann\\u202e\"}"))
                .hasStatus(HttpStatus.BAD_REQUEST);
    }

    @Test
    void a_name_of_a_user_that_is_no_name_of_the_audit_keeps_nobody_from_acting() {
        Map<String, String> actors = Map.of(
                "CN=" + "x".repeat(10_000),
                "CN=" + "x".repeat(196) + "…",
                "ann\n12:00:00 INFO forged",
                "ann\\u000a12:00:00 INFO forged",
                " ann ",
                "ann",
                "ann\u200b\u202e",
                "ann\\u200b\\u202e",
                " ",
                "(a user without a name)");
        actors.forEach((user, actor) -> {
            client.start(TicketWorkflow.class, "t-12", w -> w.run("t-12"));
            assertThat(act("/workflows/t-12", "terminate", user)).hasStatusOk();
            assertThat(client.audit()
                            .where(a -> a.workflowId("t-12"))
                            .page(1)
                            .getFirst()
                            .actor())
                    .isEqualTo(actor);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "/workflows/t-9, dance, There is no action dance here",
        "/workflows, cancel, Name in the path",
        "/incidents/t-9, retry, Name the workflow id",
        "/queues/unheard-of, pause, is not known",
    })
    void what_can_not_be_done_is_refused_with_what_can(String path, String action, String why) {
        assertThat(act(path, action))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .extractingPath("$.error")
                .asString()
                .contains(why);
    }

    @Test
    void a_path_that_ends_before_a_section_gives_the_overview_and_nothing_to_do() {
        assertThat(get("/"))
                .hasStatusOk()
                .bodyJson()
                .extractingPath("$.healthy")
                .isEqualTo(true);
        assertThat(act("", "cancel"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyText()
                .contains("Name in the path");
        assertThat(act("/", "cancel"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyText()
                .contains("Name in the path");
    }

    @Test
    void who_is_only_named_has_a_name_that_makes_no_line_of_the_log() {
        client.start(TicketWorkflow.class, "t-10", w -> w.run("t-10"));
        for (String by : List.of("eve\\n12:00:00 INFO forged", " ", "x".repeat(201))) {
            assertThat(http.post()
                            .uri("/actuator/durable/workflows/t-10")
                            .contentType(MediaType.APPLICATION_JSON)
                            .content("{\"action\": \"pause\", \"by\": \"" + by + "\"}"))
                    .hasStatus(HttpStatus.BAD_REQUEST)
                    .bodyText()
                    .contains("by");
        }
    }

    @Test
    void info_has_a_section() {
        assertThat(http.get().uri("/actuator/info"))
                .bodyJson()
                .extractingPath("$.durable.taskQueues")
                .asArray()
                .containsExactly("default");
    }

    @Test
    void health_is_part_of_readiness_and_not_of_liveness() {
        assertThat(groups.get("readiness")).matches(group -> group.isMember("durable"));
        assertThat(groups.get("readiness")).matches(group -> group.isMember("readinessState"));
        assertThat(groups.get("liveness")).matches(group -> !group.isMember("durable"));
        assertThat(http.get().uri("/actuator/health/readiness")).hasStatusOk();
        assertThat(http.get().uri("/actuator/health/durable"))
                .bodyJson()
                .extractingPath("$.details.database")
                .isEqualTo("answers");
    }

    private MvcTestResult get(String path) {
        return http.get().uri("/actuator/durable" + path).exchange();
    }

    private MvcTestResult act(String path, String action) {
        return act(path, action, "ann");
    }

    private MvcTestResult act(String path, String action, String user) {
        Principal ann = () -> user;
        return http.post()
                .uri("/actuator/durable" + path)
                .principal(ann)
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"action\": \"%s\", \"reason\": \"wrong customer\", \"by\": \"eve\"}".formatted(action))
                .exchange();
    }
}
