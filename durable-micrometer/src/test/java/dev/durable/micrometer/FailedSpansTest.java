package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityFailedException;
import dev.durable.ActivityTimedOutException;
import dev.durable.Retry;
import dev.durable.Run;
import dev.durable.Workflow;
import dev.durable.WorkflowFailedException;
import dev.durable.client.DurableEngine;
import dev.durable.client.ErrorSanitizer;
import dev.durable.client.WorkflowHandle;
import dev.durable.intercept.SignalCall;
import dev.durable.store.memory.InMemoryHistoryStore;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The spans of work that failed. */
class FailedSpansTest {
    private static final String SECRET = "hunter2";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Spans spans = new Spans();

    @Activity(retry = @Retry(maxAttempts = 1))
    interface Desk {
        String refuse();

        @Activity(startToClose = "50ms", retry = @Retry(maxAttempts = 1))
        String late(boolean throwing);

        Object unfit();
    }

    static final class RealDesk implements Desk {
        @Override
        public String refuse() {
            IllegalStateException refused = new IllegalStateException(
                    "no: password=" + SECRET, new IllegalArgumentException("token=" + SECRET));
            refused.addSuppressed(new IllegalStateException("jdbc:postgresql://u:" + SECRET + "@h/db"));
            throw refused;
        }

        @Override
        public String late(boolean throwing) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // as it should, but it does not end as interrupted
            }
            if (throwing) {
                throw new IllegalStateException("too late: password=" + SECRET);
            }
            return "late";
        }

        @Override
        public Object unfit() {
            return new Object() {
                @SuppressWarnings({"unused", "EffectivelyPrivate"}) // Jackson calls public getters
                public String getBad() {
                    throw new IllegalStateException("password=" + SECRET);
                }
            };
        }
    }

    /** How a run comes to its end. */
    enum Way {
        COMPLETES,
        THROWS,
        OF_ACTIVITY,
        LATE,
        LATE_THROWING,
        UNFIT
    }

    @Workflow
    static class Trip {
        private final Desk desk;

        Trip(Desk desk) {
            this.desk = desk;
        }

        @Run
        String run(Way way) {
            switch (way) {
                case THROWS -> throw new IllegalStateException("run: password=" + SECRET);
                case OF_ACTIVITY -> desk.refuse();
                case LATE, LATE_THROWING -> {
                    try {
                        desk.late(way == Way.LATE_THROWING);
                    } catch (ActivityTimedOutException expected) {
                        return "timed out";
                    }
                }
                case UNFIT -> {
                    try {
                        desk.unfit();
                    } catch (ActivityFailedException expected) {
                        return "unfit";
                    }
                }
                case COMPLETES -> {}
            }
            return "done";
        }
    }

    private void goes(Way way) {
        goes(way, ErrorSanitizer.DEFAULT);
    }

    private void goes(Way way, ErrorSanitizer sanitizer) {
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .register(Trip.class, new RealDesk())
                .errorSanitizer(sanitizer)
                .intercept(DurableTracing.of(spans.registry()))
                .start()) {
            WorkflowHandle<Trip, String> trip = engine.client().start(Trip.class, "trip-1", t -> t.run(way));
            try {
                trip.result();
            } catch (WorkflowFailedException expected) {
                // its span is what is looked at
            }
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !named(way.name().startsWith("LATE") ? "Desk.late" : "turn Trip")
                            .isEmpty());
        }
    }

    private List<SpanData> named(String name) {
        return spans.all().stream().filter(span -> span.getName().equals(name)).toList();
    }

    private static String attribute(SpanData span, String key) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(key)));
    }

    /** All that a span says in words. */
    private static String words(SpanData span) {
        return span.getName() + " " + span.getAttributes() + " " + span.getStatus() + " "
                + span.getEvents().stream()
                        .map(EventData::getAttributes)
                        .map(Object::toString)
                        .toList();
    }

    private SpanData closingTurn() {
        return named("turn Trip").getLast();
    }

    @Test
    void the_last_turn_of_a_failed_run_is_an_error_with_the_masked_failure() {
        goes(Way.THROWS);

        assertThat(closingTurn().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attribute(closingTurn(), "durable.outcome")).isEqualTo("failed");
        assertThat(attribute(closingTurn(), "durable.workflow.status")).isEqualTo("FAILED");
        assertThat(attribute(closingTurn(), "error.type")).isEqualTo("java.lang.IllegalStateException");
        assertThat(words(closingTurn())).contains("run: password=***", "FailedSpansTest$Trip.run");
    }

    @Test
    void the_last_turn_of_a_run_that_completes_has_its_status_and_no_error() {
        goes(Way.COMPLETES);

        assertThat(closingTurn().getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(attribute(closingTurn(), "durable.outcome")).isEqualTo("completed");
        assertThat(attribute(closingTurn(), "durable.workflow.status")).isEqualTo("COMPLETED");
        assertThat(attribute(closingTurn(), "error.type")).isEqualTo("none");
    }

    @Test
    void the_last_turn_of_a_run_that_its_activity_fails_is_an_error_and_the_turn_before_is_none() {
        goes(Way.OF_ACTIVITY);

        assertThat(named("turn Trip"))
                .extracting(turn -> attribute(turn, "durable.workflow.status") + " "
                        + turn.getStatus().getStatusCode())
                .containsExactly("null UNSET", "FAILED ERROR");
    }

    @ParameterizedTest
    @EnumSource(names = {"LATE", "LATE_THROWING"})
    void a_body_that_ends_after_its_timeout_is_stale_and_its_span_says_which_timeout_it_was(Way way) {
        goes(way);

        SpanData late = named("Desk.late").getFirst();
        assertThat(late.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attribute(late, "durable.outcome")).isEqualTo("stale");
        assertThat(words(late)).contains("ran out of start-to-close (PT0.05S)").doesNotContain(SECRET);
    }

    @Test
    void a_result_that_can_not_be_written_is_an_error_of_its_span() {
        goes(Way.UNFIT);

        assertThat(named("Desk.unfit"))
                .extracting(span -> attribute(span, "durable.outcome"))
                .containsExactly("failed");
    }

    @ParameterizedTest
    @EnumSource
    void no_span_has_a_secret(Way way) {
        goes(way);

        assertThat(spans.all())
                .isNotEmpty()
                .allSatisfy(span -> assertThat(words(span)).doesNotContain(SECRET));
    }

    @Test
    void spans_have_messages_as_the_engines_own_sanitizer_leaves_them() {
        goes(Way.OF_ACTIVITY, text -> text.toUpperCase(Locale.ROOT));

        assertThat(named("Desk.refuse"))
                .singleElement()
                .satisfies(span -> assertThat(words(span)).contains("NO: PASSWORD=HUNTER2", "TOKEN=HUNTER2"));
    }

    @Test
    void what_an_interceptor_of_no_engine_sees_is_masked_too() {
        DurableTracing tracing = DurableTracing.of(spans.registry());

        Stream.of(new IllegalStateException("password=" + SECRET), new Unreadable())
                .forEach(thrown -> assertThatThrownBy(
                                () -> tracing.signal(new SignalCall("trip-1", null, "Trip", "go"), () -> {
                                    throw thrown;
                                }))
                        .isSameAs(thrown));

        assertThat(named("signal go"))
                .hasSize(2)
                .allSatisfy(
                        span -> assertThat(words(span)).doesNotContain(SECRET).contains("error.type"));
    }

    /** As mocks of exceptions are. */
    private static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("password=" + SECRET);
        }
    }
}
