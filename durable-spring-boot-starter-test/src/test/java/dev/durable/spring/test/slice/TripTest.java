package dev.durable.spring.test.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.verify;

import dev.durable.client.DurableClient;
import dev.durable.spring.test.DurableSpringTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

// docs: spring-test-slice
@DurableSpringTest // Durable, what the test names, and nothing else; in memory, on virtual time
class TripTest {
    @MockitoBean
    private Desk desk;

    @Autowired
    private DurableClient client;

    @Test
    void a_trip_that_nobody_confirms_is_cancelled(TestEngine engine) {
        given(desk.book("lisbon")).willReturn("B-1");
        var trip = client.start(TripWorkflow.class, "trip-1", w -> w.run("lisbon"));

        engine.advance(Duration.ofDays(3));

        assertThat(trip.result()).isEqualTo("cancelled");
        verify(desk).cancel("lisbon");
    }
}
// docs: end
