package dev.durable.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.StoreUnavailableException;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.client.DurableClient;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The answers of an application on WebFlux when Durable's client throws. */
class ReactiveProblemDetailsTest {
    private static final String ADVICE = "durableProblemDetailsAdvice";

    private final ReactiveWebApplicationContextRunner application = new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DurableWebAutoConfiguration.class))
            .withBean(DurableClient.class, ReactiveProblemDetailsTest::client);

    /** Is only there: nothing calls it but Spring, which asks for its hash code. */
    private static DurableClient client() {
        return (DurableClient) Proxy.newProxyInstance(
                DurableClient.class.getClassLoader(),
                new Class<?>[] {DurableClient.class},
                (self, method, arguments) -> method.getName().equals("hashCode") ? 1 : null);
    }

    @RestController
    static class Orders {
        @PostMapping("/orders/{id}")
        Mono<String> start(@PathVariable String id) {
            return id.equals("twice")
                    ? Mono.error(new WorkflowAlreadyStartedException("secret text of twice"))
                    : Mono.fromCallable(() -> {
                        throw new StoreUnavailableException("secret text of the database");
                    });
        }
    }

    @Test
    void what_a_publisher_ends_with_is_answered_as_in_servlet_applications() {
        application.run(context -> {
            WebTestClient http = WebTestClient.bindToController(new Orders())
                    .controllerAdvice(context.getBean(ADVICE))
                    .build();

            http.post()
                    .uri("/orders/twice")
                    .exchange()
                    .expectStatus()
                    .isEqualTo(HttpStatus.CONFLICT)
                    .expectHeader()
                    .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                    .expectBody(String.class)
                    .value(body -> assertThat(body)
                            .contains("urn:durable:problem:already-started")
                            .doesNotContain("secret"));
            http.post()
                    .uri("/orders/any")
                    .exchange()
                    .expectStatus()
                    .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
                    .expectHeader()
                    .exists(HttpHeaders.RETRY_AFTER)
                    .expectBody(String.class)
                    .value(body -> assertThat(body).doesNotContain("secret"));
        });
    }

    @Test
    void one_property_switches_them_off() {
        application
                .withPropertyValues("durable.web.problem-details=false")
                .run(context -> assertThat(context.containsBean(ADVICE)).isFalse());
    }
}
