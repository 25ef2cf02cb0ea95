package dev.durable.spring.operated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableClient;
import dev.durable.client.WorkflowHandle;
import dev.durable.spring.operated.OperatedApplication.TicketWorkflow;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A request that is under way when the application stops, over a real port. */
class GracefulShutdownTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    /** Answers when it is let, with what it sees of a workflow that it starts and signals then. */
    @RestController
    static class SlowController {
        private final DurableClient client;
        final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch let = new CountDownLatch(1);

        SlowController(DurableClient client) {
            this.client = client;
        }

        @GetMapping("/slow")
        public String slow() throws InterruptedException {
            reached.countDown();
            assertThat(let.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            WorkflowHandle<TicketWorkflow, String> ticket =
                    client.start(TicketWorkflow.class, "late", w -> w.run("late"));
            ticket.signal(TicketWorkflow::let);
            return ticket.workflowId() + " " + ticket.describe().summary().status();
        }
    }

    /** Stops after the worker's claims have ended, and before the web server drains. */
    static class Stopping implements SmartLifecycle {
        final CountDownLatch begun = new CountDownLatch(1);
        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            begun.countDown();
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return SmartLifecycle.DEFAULT_PHASE - 1;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Slow {
        @Bean
        SlowController slowController(DurableClient client) {
            return new SlowController(client);
        }

        @Bean
        Stopping stopping() {
            return new Stopping();
        }
    }

    @Test
    void a_request_under_way_uses_the_client_and_is_answered_while_the_application_stops() throws Exception {
        ConfigurableApplicationContext application = new SpringApplicationBuilder(OperatedApplication.class, Slow.class)
                .web(WebApplicationType.SERVLET)
                .properties("server.port=0", "server.shutdown=graceful", "spring.main.banner-mode=off")
                .run();
        SlowController controller = application.getBean(SlowController.class);
        Stopping stopping = application.getBean(Stopping.class);
        String port = application.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/slow"))
                .timeout(LONG)
                .build();

        try (HttpClient http = HttpClient.newHttpClient()) {
            CompletableFuture<HttpResponse<String>> answer =
                    http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
            assertThat(controller.reached.await(LONG.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            Thread closing = Thread.ofPlatform().start(application::close);
            assertThat(stopping.begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            controller.let.countDown();

            assertThat(answer.get(LONG.toSeconds(), TimeUnit.SECONDS).body()).isEqualTo("late RUNNING");
            Awaitility.await().atMost(LONG).until(() -> !closing.isAlive());
        }
    }
}
