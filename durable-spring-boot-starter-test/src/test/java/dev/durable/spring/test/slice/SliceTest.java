package dev.durable.spring.test.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import dev.durable.client.DurableClient;
import dev.durable.client.DurableEngine;
import dev.durable.spring.test.DurableSpringTest;
import javax.sql.DataSource;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** The beans of a slice, and the isolation of its tests from each other. */
@DurableSpringTest
class SliceTest {
    @MockitoBean
    private Desk desk;

    @Autowired
    private DurableClient client;

    /** Each method has a store of its own: the id is free again. */
    @RepeatedTest(2)
    void a_trip_that_is_confirmed_stays_booked() {
        given(desk.book("lisbon")).willReturn("B-2");
        var trip = client.start(TripWorkflow.class, "trip-1", w -> w.run("lisbon"));
        trip.signal(TripWorkflow::confirm);

        assertThat(trip.result()).isEqualTo("B-2");
        verify(desk, never()).cancel("lisbon");
    }

    @Test
    void the_context_has_durable_and_what_is_named_and_nothing_else(
            @Autowired ApplicationContext context, @Autowired DurableEngine engine) {
        assertThat(context.getBeansOfType(DataSource.class)).isEmpty();
        assertThat(context.getBeansOfType(RealDesk.class)).isEmpty();
        assertThat(engine.worker().queues()).hasSize(1);
        assertThat(engine.healthy()).isTrue();
    }
}
