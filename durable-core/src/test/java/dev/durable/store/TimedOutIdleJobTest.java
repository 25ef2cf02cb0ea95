package dev.durable.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.ActivityTimedOut;
import dev.durable.history.EventJson;
import dev.durable.history.Payload;
import dev.durable.history.TimeoutType;
import dev.durable.store.TimedOutIdleJob.Timeout;
import java.time.Instant;
import java.util.UUID;
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

    @ParameterizedTest
    @EnumSource
    void without_details_it_is_what_the_engine_writes_too(Timeout timeout) {
        InboxMessage outcome = TimedOutIdleJob.outcome(job, timeout, 0, null, null);

        assertThat(outcome.payload())
                .isEqualTo(EventJson.attributes(new ActivityTimedOut(
                        5, Instant.EPOCH, 7, 0, outcome.messageId(), TimeoutType.valueOf(timeout.name()), null)));
    }
}
