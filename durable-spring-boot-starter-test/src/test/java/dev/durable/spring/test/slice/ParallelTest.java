package dev.durable.spring.test.slice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableClient;
import dev.durable.spring.test.DurableSpringTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** Where JUnit runs methods at the same time: those of one context have one engine at a time. */
@DurableSpringTest
@Execution(ExecutionMode.CONCURRENT)
class ParallelTest {
    private static final CountDownLatch both = new CountDownLatch(2);

    @MockitoBean
    private Desk desk;

    @Autowired
    private DurableClient client;

    @RepeatedTest(2)
    void methods_that_may_run_at_the_same_time_do_not_see_each_others_runs(TestEngine engine) throws Exception {
        both.countDown();
        boolean together = both.getCount() > 0 && both.await(200, TimeUnit.MILLISECONDS);
        assertThat(together).isFalse();
        var trip = client.start(TripWorkflow.class, "trip-1", w -> w.run("lisbon"));
        engine.advance(Duration.ofDays(3));
        assertThat(trip.result()).isEqualTo("cancelled");
    }
}
