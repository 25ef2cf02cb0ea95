package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.ActivityTimedOutException;
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
        for (int attempt = 1; attempt <= 3; attempt++) {
            while (!agency.hanging.tryAcquire(20, TimeUnit.MILLISECONDS)) {
                engine.advanceWhileRunning(Duration.ofMinutes(1));
            }
        }
        engine.advanceWhileRunning(Duration.ofMinutes(1));
        assertThatThrownBy(h::result).hasRootCauseInstanceOf(ActivityTimedOutException.class);
    }
}
