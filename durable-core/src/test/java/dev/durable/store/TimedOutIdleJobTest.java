package dev.durable.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.ActivityOptions;
import dev.durable.history.ActivityTimedOut;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.OptionsJson;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import dev.durable.history.TimeoutType;
import dev.durable.internal.declare.OptionsAtCallSite;
import dev.durable.store.TimedOutIdleJob.Timeout;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An outcome that stores write themselves. */
class TimedOutIdleJobTest {
    private final JobKey job = new JobKey(new RunKey(UUID.randomUUID(), "order-1"), 7);

    @ParameterizedTest
    @EnumSource
    void it_is_read_as_the_event_that_it_becomes(Timeout timeout) {
        InboxMessage outcome = TimedOutIdleJob.outcome(job, timeout, 2, "{\"row\": 1E2}", "[{}]");
        Instant at = Instant.parse("2026-01-01T00:00:00Z");
        ActivityTimedOut event = new ActivityTimedOut(
                5, at, 7, 2, outcome.messageId(), TimeoutType.valueOf(timeout.name()), new Payload("{\"row\": 1E2}"));

        assertThat(EventJson.decode(new StoredEvent(5, outcome.name(), at, outcome.messageId(), outcome.payload())))
                .isEqualTo(event);
        assertThat(outcome.payload()).isEqualTo(EventJson.attributes(event));
        assertThat(outcome.kind()).isEqualTo(MessageKind.ACTIVITY_OUTCOME);
        assertThat(outcome.notes()).isEqualTo("[{}]");
    }

    @Test
    void which_time_was_over_is_read_from_the_options_as_they_are_written() {
        Instant toStart = Instant.parse("2026-01-01T00:00:00.123456Z");
        ActivityOptions plain = ActivityOptions.DEFAULT;
        assertThat(of(false, toStart, plain)).isEqualTo(Timeout.SCHEDULE_TO_START);
        assertThat(of(false, toStart, plain.withExpiry(toStart))).isEqualTo(Timeout.EXPIRY);
        assertThat(of(false, toStart, plain.withExpiry(toStart.plusSeconds(1)))).isEqualTo(Timeout.SCHEDULE_TO_START);
        assertThat(of(true, toStart, plain.withExpiry(toStart))).isEqualTo(Timeout.SCHEDULE_TO_CLOSE);
        assertThat(of(
                        false,
                        toStart,
                        new OptionsAtCallSite()
                                .header("expiresAt", toStart.toString())
                                .apply(plain)))
                .as("a header of that name says nothing")
                .isEqualTo(Timeout.SCHEDULE_TO_START);
    }

    private static Timeout of(boolean toClose, Instant toStart, ActivityOptions options) {
        return Timeout.of(toClose, toStart, OptionsJson.encode(options));
    }

    @ParameterizedTest
    @EnumSource
    void without_details_it_is_what_the_engine_writes_too(Timeout timeout) {
        InboxMessage outcome = TimedOutIdleJob.outcome(job, timeout, 0, null, null);

        assertThat(outcome.payload())
                .isEqualTo(EventJson.attributes(new ActivityTimedOut(
                        5, Instant.EPOCH, 7, 0, outcome.messageId(), TimeoutType.valueOf(timeout.name()), null)));
    }
}
