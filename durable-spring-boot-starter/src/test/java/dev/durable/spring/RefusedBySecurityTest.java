package dev.durable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.durable.Activity;
import dev.durable.ActivityFailedException;
import dev.durable.Retry;
import dev.durable.RetryIf;
import dev.durable.client.ActivityHandle;
import dev.durable.client.DurableClient;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationCredentialsNotFoundException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationDeniedException;

/** An activity that Spring Security refused is not tried again. */
@Timeout(60)
class RefusedBySecurityTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Map<String, Supplier<RuntimeException>> THROWN = Map.of(
            "denied", () -> new AccessDeniedException("no"),
            "denied by a method's annotation",
                    () -> new AuthorizationDeniedException("no", new AuthorizationDecision(false)),
            "nobody", () -> new AuthenticationCredentialsNotFoundException("nobody is logged in"),
            "wrong password", () -> new BadCredentialsException("no"),
            "wrapped", () -> new CompletionException(new AccessDeniedException("no")),
            "away", () -> new AuthenticationServiceException("the directory is away"),
            "other", () -> new IllegalStateException("no"),
            "causeless", Causeless::new);

    static class Causeless extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause");
        }
    }

    static class Always implements RetryIf {
        @Override
        public boolean retry(Throwable failure, int attempt) {
            return true;
        }
    }

    /** Fails twice, and succeeds then. */
    @Activity(retry = @Retry(initialInterval = "1ms"))
    static class Vault {
        final AtomicInteger attempts = new AtomicInteger();

        public String open(String how) {
            if (attempts.incrementAndGet() <= 2) {
                throw THROWN.get(how).get();
            }
            return "open";
        }

        @Activity(retry = @Retry(initialInterval = "1ms", retryIf = Always.class))
        public String openInTime(String how) {
            return open(how);
        }
    }

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DurableAutoConfiguration.class))
            .withBean(HistoryStore.class, InMemoryHistoryStore::new)
            .withBean(Vault.class)
            .withPropertyValues("durable.activities.Vault.retry.on-exhausted=FAIL");

    @ParameterizedTest
    @CsvSource({
        "denied, false",
        "denied by a method's annotation, false",
        "nobody, false",
        "wrong password, false",
        "wrapped, false",
        "away, true",
        "other, true",
    })
    void a_refusal_ends_the_retries_and_what_could_not_be_asked_does_not(String how, boolean retried) {
        application.run(context -> {
            ActivityHandle job = context.getBean(DurableClient.class).enqueue(Vault.class, v -> v.open(how));
            if (retried) {
                assertThat(job.resultAs(String.class, SOON)).isEqualTo("open");
            } else {
                assertThatThrownBy(() -> job.resultAs(String.class, SOON))
                        .isInstanceOf(ActivityFailedException.class)
                        .hasMessageContaining("failed in attempt 1");
            }
        });
    }

    @Test
    void a_retry_policy_that_decides_itself_or_a_property_retries_it() {
        application.run(context -> assertThat(context.getBean(DurableClient.class)
                        .enqueue(Vault.class, v -> v.openInTime("denied"))
                        .resultAs(String.class, SOON))
                .isEqualTo("open"));
        application
                .withPropertyValues("durable.retry-denied=true")
                .run(context -> assertThat(context.getBean(DurableClient.class)
                                .enqueue(Vault.class, v -> v.open("denied"))
                                .resultAs(String.class, SOON))
                        .isEqualTo("open"));
    }

    @Test
    void an_exception_that_can_not_tell_its_cause_is_no_refusal() {
        assertThat(new RefusedBySecurity().retry(new Causeless(), 1)).isTrue();
    }

    @Test
    void the_log_says_at_the_start_what_is_not_retried() {
        try (Logged log = new Logged()) {
            application.run(context -> assertThat(log.of(Level.INFO))
                    .singleElement()
                    .asString()
                    .contains("\n  not retried what Spring Security refuses (durable.retry-denied)"));
        }
        try (Logged log = new Logged()) {
            application
                    .withPropertyValues("durable.retry-denied=true")
                    .run(context -> assertThat(log.of(Level.INFO))
                            .singleElement()
                            .asString()
                            .doesNotContain("not retried"));
        }
    }
}
