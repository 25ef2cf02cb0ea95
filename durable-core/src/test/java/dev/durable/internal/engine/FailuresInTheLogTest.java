package dev.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.DurableException;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.Retry;
import dev.durable.RetryPolicy;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** The lines that an operator on call finds in the log after a failure, of an engine without an observer. */
@ResourceLock("dev.durable.failed")
class FailuresInTheLogTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.durable.failed");
    private final BlockingQueue<ILoggingEvent> lines = new LinkedBlockingQueue<>();
    private final AppenderBase<ILoggingEvent> listening = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            line.prepareForDeferredProcessing();
            lines.add(line);
        }
    };

    @Activity(retry = @Retry(initialInterval = "1ms", maxAttempts = 2))
    static class Bank {
        public String charge(String card) {
            if (card.equals("good")) {
                return "charged";
            }
            throw new IllegalStateException("refused, password=hunter2");
        }

        @Activity(retry = @Retry(maxAttempts = 1, onExhausted = OnExhausted.INCIDENT))
        public String refund(String card) throws IOException {
            throw new IOException("no such card");
        }
    }

    @Workflow
    static class Order {
        private final Bank bank;

        Order(Bank bank) {
            this.bank = bank;
        }

        @Run
        String run(String card) throws IOException {
            return card.equals("refund") ? bank.refund(card) : bank.charge(card);
        }
    }

    @BeforeEach
    void listen() {
        listening.start();
        logger.setAdditive(false);
        logger.addAppender(listening);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(listening);
        logger.setAdditive(true);
    }

    @Test
    void each_failed_attempt_the_failed_activity_and_the_failed_run_are_a_line_each() throws InterruptedException {
        try (DurableEngine engine = engine()) {
            var order = engine.client().start(Order.class, "order-42", o -> o.run("bad"));
            assertThatThrownBy(() -> order.result(SOON)).isInstanceOf(WorkflowFailedException.class);

            ILoggingEvent retried = next();
            assertThat(retried.getFormattedMessage())
                    .matches(
                            "attempt 1 of Bank\\.charge \\(activity 1 of workflow order-42\\) failed, and another follows in"
                                    + " \\d+ ms: java\\.lang\\.IllegalStateException: refused, password=\\*+");
            assertThat(of(retried)).isEqualTo("INFO dev.durable.failed.Attempt");
            assertThat(retried.getMDCPropertyMap())
                    .containsEntry("workflowId", "order-42")
                    .containsEntry("runId", order.runId().toString())
                    .containsEntry("activity", "Bank.charge")
                    .containsEntry("attempt", "1");

            ILoggingEvent failed = next();
            assertThat(failed.getFormattedMessage())
                    .startsWith(
                            "attempt 2 of Bank.charge (activity 1 of workflow order-42) failed, and no other follows:"
                                    + " java.lang.IllegalStateException: refused");
            assertThat(of(failed)).isEqualTo("WARN dev.durable.failed.Activity");
            assertThat(failed.getThrowableProxy().getMessage())
                    .contains("refused")
                    .doesNotContain("hunter2");

            ILoggingEvent run = next();
            assertThat(run.getFormattedMessage())
                    .startsWith("Order order-42 (run " + order.runId() + ") failed: ")
                    .doesNotContain("hunter2");
            assertThat(of(run)).isEqualTo("WARN dev.durable.failed.Run");
            assertThat(run.getMDCPropertyMap())
                    .containsEntry("workflowId", "order-42")
                    .doesNotContainKey("activity");
        }
        assertThat(lines).isEmpty();
    }

    @Test
    void incidents_and_dead_letters_are_errors_and_a_terminated_run_is_told() throws InterruptedException {
        try (DurableEngine engine = engine()) {
            DurableClient client = engine.client();
            var order = client.start(Order.class, "order-43", o -> o.run("refund"));

            ILoggingEvent incident = next();
            assertThat(incident.getFormattedMessage())
                    .isEqualTo(
                            "attempt 1 of Bank.refund (activity 1 of workflow order-43) failed, and the activity waits for an"
                                    + " operator as an incident: java.io.IOException: no such card");
            assertThat(of(incident)).isEqualTo("ERROR dev.durable.failed.Incident");

            client.enqueue(Bank.class, b -> b.charge("bad"));
            assertThat(of(next())).isEqualTo("INFO dev.durable.failed.Attempt");
            ILoggingEvent buried = next();
            assertThat(buried.getFormattedMessage())
                    .contains("waits for an operator as a dead letter: java.lang.IllegalStateException");
            assertThat(of(buried)).isEqualTo("ERROR dev.durable.failed.Incident");

            order.terminate("a test");
            ILoggingEvent terminated = next();
            assertThat(terminated.getFormattedMessage())
                    .isEqualTo(
                            "workflow order-43 (run " + order.runId() + ") was terminated by a call in this process");
            assertThat(of(terminated)).isEqualTo("INFO dev.durable.failed.Run");
        }
    }

    static class Declined extends Exception {
        private static final long serialVersionUID = 1L;

        Declined(String why) {
            super(why);
        }
    }

    static class Stolen extends Declined {
        private static final long serialVersionUID = 1L;

        Stolen() {
            super("stolen");
        }
    }

    static class Closed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    static class GivenUp extends NonRetryableException {
        private static final long serialVersionUID = 1L;

        GivenUp() {
            super("given up");
        }
    }

    /** Each way to say no. */
    @Activity(retry = @Retry(maxAttempts = 1, doNotRetry = Closed.class))
    static class Till {
        public String declined() throws Declined {
            throw new Declined("no money");
        }

        public String stolen() throws Declined {
            throw new Stolen();
        }

        public String closed() {
            throw new Closed();
        }

        public String wrapped() {
            throw new CompletionException(new Closed());
        }

        public String givenUp() {
            throw new GivenUp();
        }

        public String anything() throws Exception {
            throw new Exception("anything");
        }
    }

    private static final RetryPolicy NO_STATE = new RetryPolicy(
            0,
            Duration.ofMillis(1),
            2.0,
            Duration.ofSeconds(1),
            0.2,
            List.of(IllegalStateException.class.getName()),
            3);

    @Workflow
    static class Sale {
        private final Till till;

        Sale(Till till) {
            this.till = till;
        }

        @Run
        String run(String how) throws Declined, GivenUp, Exception {
            return switch (how) {
                case "declined" -> till.declined();
                case "stolen" -> till.stolen();
                case "closed" -> till.closed();
                case "wrapped" -> till.wrapped();
                case "named at the call" ->
                    Durable.activities(Bank.class, o -> o.retry(NO_STATE)).charge("bad");
                case "given up" -> till.givenUp();
                case "anything" -> till.anything();
                case "of itself" -> throw new GivenUp();
                default -> throw new IllegalArgumentException(how);
            };
        }
    }

    @ParameterizedTest
    @CsvSource({
        "declined,          INFO, INFO",
        "stolen,            INFO, INFO", // a subclass of what is named
        "closed,            INFO, WARN", // which run does not name
        "wrapped,           INFO, WARN", // its cause is named by doNotRetry
        "named at the call, INFO, WARN",
        "given up,          WARN, WARN", // run names what it gets as an ActivityFailedException
        "anything,          WARN, WARN", // throws Exception says nothing
        "of itself,             , INFO",
        "a mistake,             , WARN",
    })
    void what_the_code_declares_is_a_line_without_a_stack_and_all_else_a_warning_with_one(
            String how, @Nullable String activity, String run) throws InterruptedException {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(Sale.class, new Till(), new Bank())
                .start()) {
            var sale = engine.client().start(Sale.class, "sale", s -> s.run(how));
            assertThatThrownBy(() -> sale.result(SOON)).isInstanceOf(WorkflowFailedException.class);
            if (activity != null) {
                assertThat(told(next())).isEqualTo(line(activity, "Activity"));
            }
            assertThat(told(next())).isEqualTo(line(run, "Run"));
        }
        assertThat(lines).isEmpty();
    }

    @Test
    void a_job_that_fails_by_what_it_declares_warns_of_nothing() throws InterruptedException {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(new Till(), new Bank())
                .jobsOnExhausted(OnExhausted.FAIL)
                .start()) {
            var job = engine.client().enqueue(Till.class, Till::declined);
            assertThatThrownBy(() -> job.resultAs(String.class, SOON)).isInstanceOf(DurableException.class);
            assertThat(told(next())).isEqualTo(line("INFO", "Activity"));
            assertThat(told(next())).isEqualTo(line("INFO", "Run"));

            var other = engine.client().enqueue(Bank.class, b -> b.charge("bad"));
            assertThatThrownBy(() -> other.resultAs(String.class, SOON)).isInstanceOf(DurableException.class);
            assertThat(told(next())).isEqualTo(line("INFO", "Attempt"));
            assertThat(told(next())).isEqualTo(line("WARN", "Activity"));
            assertThat(told(next())).isEqualTo(line("INFO", "Run"));
        }
        assertThat(lines).isEmpty();
    }

    private static String line(String level, String kind) {
        return level + " dev.durable.failed." + kind + (level.equals("INFO") ? "" : " with its stack");
    }

    private static String told(ILoggingEvent line) {
        return of(line) + (line.getThrowableProxy() == null ? "" : " with its stack");
    }

    @Test
    void what_does_not_fail_writes_nothing() {
        try (DurableEngine engine = engine()) {
            assertThat(engine.client()
                            .start(Order.class, "order-44", o -> o.run("good"))
                            .result(SOON))
                    .isEqualTo("charged");
        }
        assertThat(lines).isEmpty();
    }

    private static DurableEngine engine() {
        return DurableEngine.builder(new InMemoryHistoryStore())
                .register(Order.class, new Bank())
                .start();
    }

    private static String of(ILoggingEvent line) {
        return line.getLevel() + " " + line.getLoggerName();
    }

    private ILoggingEvent next() throws InterruptedException {
        ILoggingEvent line = lines.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(line).as("a line").isNotNull();
        return line;
    }
}
