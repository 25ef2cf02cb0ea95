package dev.durable.spring.test.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;

import dev.durable.client.DurableClient;
import dev.durable.intercept.ActivityCall;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.Next;
import dev.durable.intercept.StartCall;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.spring.test.DurableSpringTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** Interceptors of the application stand around calls and bodies in a slice, too, if the test names them. */
@DurableSpringTest(properties = "durable.context.mdc=tenant")
@Import(AroundTest.Notes.class)
class AroundTest {
    @MockitoBean
    private Desk desk;

    @Autowired
    private DurableClient client;

    @Autowired
    private Notes notes;

    static class Notes implements ClientInterceptor, WorkerInterceptor {
        final List<String> seen = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void start(StartCall call, Next next) {
            seen.add("start " + call.workflowId());
            next.proceed();
        }

        @Override
        public void activity(ActivityCall call, Next next) throws Exception {
            seen.add(call.info().activity() + " for " + MDC.get("tenant"));
            next.proceed();
        }
    }

    @AfterEach
    void clear() {
        MDC.clear();
    }

    @Test
    void interceptors_that_it_imports_and_keys_of_the_mdc_take_part(TestEngine engine) {
        List<String> tenants = Collections.synchronizedList(new ArrayList<>());
        given(desk.book("lisbon")).willReturn("B-1");
        willAnswer(call -> tenants.add(MDC.get("tenant"))).given(desk).cancel("lisbon");
        MDC.put("tenant", "acme");
        var trip = client.start(TripWorkflow.class, "trip-1", w -> w.run("lisbon"));
        MDC.put("tenant", "another");
        engine.advance(Duration.ofDays(3));

        assertThat(trip.result()).isEqualTo("cancelled");
        assertThat(tenants).containsExactly("acme");
        assertThat(notes.seen).containsExactly("start trip-1", "Desk.book for acme", "Desk.cancel for acme");
    }
}
