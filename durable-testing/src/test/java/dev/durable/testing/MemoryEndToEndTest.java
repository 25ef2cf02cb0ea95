package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ActivityTimedOutException;
import dev.durable.client.WorkflowStatus;
import dev.durable.history.ActivityTimedOut;
import dev.durable.testing.Bookings.TripWorkflow;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@DurableTest
class MemoryEndToEndTest extends EndToEndTest {

    @Test
    void anAttemptThatHangsTimesOut(TestEngine engine) throws Exception {
        set(engine);
        agency.hang = true;
        var h = engine.client().start(TripWorkflow.class, "t-1", w -> w.run(CHEAP));
        while (!agency.hanging.tryAcquire(20, TimeUnit.MILLISECONDS)) {
            engine.advanceWhileRunning(Duration.ofMillis(1));
        }
        // An attempt whose thread takes long to begin may run out of its time before its body does.
        while (h.describe().summary().status() == WorkflowStatus.RUNNING) {
            engine.advanceWhileRunning(Duration.ofMinutes(1));
        }
        assertThat(h.history().events(ActivityTimedOut.class))
                .singleElement()
                .satisfies(end -> assertThat(end.attempt()).isEqualTo(3));
        assertThatThrownBy(h::result).hasRootCauseInstanceOf(ActivityTimedOutException.class);
    }
}
