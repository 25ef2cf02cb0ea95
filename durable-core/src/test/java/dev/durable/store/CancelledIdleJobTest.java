package dev.durable.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.history.ActivityCancelled;
import dev.durable.history.EventJson;
import dev.durable.history.InboxMessage;
import dev.durable.history.MessageKind;
import dev.durable.history.Payload;
import dev.durable.history.StoredEvent;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The one outcome that stores write themselves. */
class CancelledIdleJobTest {
    private final JobKey job = new JobKey(new RunKey(UUID.randomUUID(), "order-1"), 7);

    @Test
    void it_is_an_event_with_all_that_is_known() {
        InboxMessage outcome = CancelledIdleJob.outcome(job, 2, "{\"row\": 1E2}", "[{}]");

        assertThat(outcome.kind()).isEqualTo(MessageKind.ACTIVITY_OUTCOME);
        assertThat(outcome.name()).isEqualTo("ActivityCancelled");
        assertThat(outcome.payload()).isEqualTo("{\"seq\":7,\"attempt\":2,\"lastHeartbeatDetails\":{\"row\": 1E2}}");
        assertThat(outcome.notes()).isEqualTo("[{}]");
        assertThat(CancelledIdleJob.outcome(job, 0, null, null).payload()).isEqualTo("{\"seq\":7,\"attempt\":0}");
    }

    @Test
    void it_is_read_as_the_event_that_it_becomes() {
        InboxMessage outcome = CancelledIdleJob.outcome(job, 2, "{\"row\": 1E2}", null);
        Instant at = Instant.parse("2026-01-01T00:00:00Z");

        assertThat(EventJson.decode(new StoredEvent(5, outcome.name(), at, outcome.messageId(), outcome.payload())))
                .isEqualTo(new ActivityCancelled(5, at, 7, 2, outcome.messageId(), new Payload("{\"row\": 1E2}")));
    }

    @Test
    void its_message_id_is_the_same_for_the_same_job_and_another_for_any_other() {
        assertThat(CancelledIdleJob.messageId(job)).isEqualTo(CancelledIdleJob.messageId(new JobKey(job.run(), 7)));
        assertThat(CancelledIdleJob.messageId(job))
                .isNotEqualTo(CancelledIdleJob.messageId(new JobKey(job.run(), 8)))
                .isNotEqualTo(CancelledIdleJob.messageId(new JobKey(new RunKey(UUID.randomUUID(), "order-1"), 7)));
    }
}
