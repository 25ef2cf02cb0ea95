package dev.durable.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.durable.history.Failure;
import dev.durable.internal.observe.FailureLog.Kind;
import dev.durable.internal.observe.FailureLog.Subject;
import dev.durable.store.RunKey;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The number of lines that failures write, and their content. */
@ResourceLock("dev.durable.failed")
class FailureLogTest {
    private static final RunKey RUN = new RunKey(new UUID(0, 7), "order-42");
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final Failure REFUSED = Failure.of("com.acme.CardRefused", "no money");

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.durable.failed");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent line) {
            line.prepareForDeferredProcessing(); // what the MDC has now
            super.append(line);
        }
    };
    private final AtomicLong nanos = new AtomicLong();
    private final FailureLog log =
            new FailureLog("tenant_b", nanos::get, failure -> new IllegalStateException(failure.type()));

    @BeforeEach
    void listen() {
        lines.start();
        logger.setAdditive(false);
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        MDC.clear();
    }

    @Test
    void a_storm_of_failures_that_are_alike_writes_five_lines_a_minute_and_then_how_many_more_there_were() {
        for (int i = 0; i < 1_000; i++) {
            fails(Kind.ATTEMPT, "Payments.charge: refused");
        }
        assertThat(told()).hasSize(5).allMatch("INFO Payments.charge failed: com.acme.CardRefused: no money"::equals);

        pass(61);
        fails(Kind.ACTIVITY, "Shipping.ship: away");

        assertThat(told().subList(5, told().size()))
                .containsExactly(
                        "INFO 995 more failed alike within the minute that began 61 s ago, and were not logged one by one:"
                                + " Payments.charge: refused",
                        "WARN Payments.charge failed: com.acme.CardRefused: no money");
    }

    @Test
    void what_fails_otherwise_is_told_apart_until_there_are_too_many_kinds() {
        for (int i = 0; i < 10_000; i++) {
            fails(Kind.ATTEMPT, "fingerprint " + i);
        }
        assertThat(lines.list).hasSize(FailureLog.MOST_FINGERPRINTS + FailureLog.MOST);
    }

    @Test
    void a_line_that_counts_earlier_ones_says_of_which_schema_they_were() {
        for (int i = 0; i <= FailureLog.MOST; i++) {
            fails(Kind.ATTEMPT, "a");
        }
        pass(61);
        fails(Kind.ACTIVITY, "b");

        assertThat(lines.list)
                .filteredOn(line -> line.getFormattedMessage().contains("more failed alike"))
                .singleElement()
                .satisfies(line -> assertThat(line.getMDCPropertyMap()).isEqualTo(Map.of("durableSchema", "tenant_b")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'traceparent':'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'} | 0af7651916cd43dd8448eb211c80319c",
                "{'x':'1', 'b3' : '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1'} | 0af7651916cd43dd8448eb211c80319c",
                "{'X-B3-TraceId':'b7ad6b7169203331'} | b7ad6b7169203331",
                "{'traceparent':'00-0AF7-b7ad6b7169203331-01'} | none",
                "{'traceparent':'forged line and more of it'} | none",
                "{'x':'{/'traceparent/':/'00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01/'}'} | none",
                "{} | none",
            })
    void the_trace_of_a_job_is_that_of_its_headers(String headers, String trace) {
        String json = headers.replace("/'", "\\\"").replace('\'', '"');

        assertThat(Objects.requireNonNullElse(TraceId.of(json), "none")).isEqualTo(trace);
    }

    @Test
    void the_first_of_a_minute_has_its_stack_and_an_attempt_that_is_tried_again_has_none() {
        fails(Kind.ACTIVITY, "a");
        fails(Kind.ACTIVITY, "a");
        fails(Kind.ATTEMPT, "b");

        assertThat(lines.list)
                .extracting(line -> line.getThrowableProxy() != null)
                .containsExactly(true, false, false);
    }

    @Test
    void a_line_has_schema_ids_and_trace_in_its_mdc_and_leaves_that_of_its_thread_as_it_was() {
        MDC.put("workflowId", "of the caller");
        MDC.put("tenant", "acme");

        fails(Kind.INCIDENT, "a");

        assertThat(lines.list.getFirst().getMDCPropertyMap())
                .isEqualTo(Map.of(
                        "workflowId",
                        "order-42",
                        "runId",
                        RUN.runId().toString(),
                        "activity",
                        "Payments.charge",
                        "attempt",
                        "3",
                        "tenant",
                        "acme",
                        "durableSchema",
                        "tenant_b",
                        "traceId",
                        TRACE));
        assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("workflowId", "of the caller", "tenant", "acme"));
    }

    @Test
    void a_message_of_several_lines_can_not_be_taken_for_lines_of_the_log() {
        log.failed(Kind.RUN, Subject.of(RUN), "a", "Order failed", Failure.of("X", "first\nsecond"));

        assertThat(told()).containsExactly("WARN Order failed: X: first\n    second");
    }

    @Test
    void a_type_that_somebody_made_up_can_not_be_taken_for_lines_of_the_log() {
        Failure forged = Failure.of("X\n12:00:00 ERROR forged", "first");
        for (int i = 0; i < 6; i++) {
            log.failed(Kind.RUN, Subject.of(RUN), "a: X\n12:00:00 ERROR forged", "Order failed", forged);
        }
        pass(61);
        fails(Kind.ACTIVITY, "b");

        assertThat(told()).hasSize(7).noneMatch(line -> line.contains("\n12:00"));
    }

    @Test
    void a_line_that_can_not_be_written_is_no_matter_of_who_failed() {
        FailureLog broken = new FailureLog("tenant_b", nanos::get, failure -> {
            throw new IllegalStateException("no stack of it");
        });
        MDC.put("tenant", "acme");

        broken.failed(Kind.RUN, Subject.of(RUN), "a", "Order failed", REFUSED);

        assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("tenant", "acme"));
    }

    @Test
    void each_kind_has_a_logger_of_its_own_by_which_it_is_switched_off() {
        Logger attempts = (Logger) LoggerFactory.getLogger("dev.durable.failed.Attempt");
        attempts.setLevel(Level.OFF);
        try {
            fails(Kind.ATTEMPT, "a");
            fails(Kind.INCIDENT, "a");
        } finally {
            attempts.setLevel(null);
        }
        assertThat(lines.list).extracting(ILoggingEvent::getLoggerName).containsExactly("dev.durable.failed.Incident");
    }

    private void fails(Kind kind, String fingerprint) {
        log.failed(kind, new Subject(RUN, "Payments.charge", 3, TRACE), fingerprint, "Payments.charge failed", REFUSED);
    }

    private void pass(int seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    private List<String> told() {
        return lines.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }
}
