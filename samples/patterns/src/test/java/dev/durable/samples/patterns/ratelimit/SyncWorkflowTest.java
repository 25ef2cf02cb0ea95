package dev.durable.samples.patterns.ratelimit;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.client.WorkflowHandle;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@DurableTest
class SyncWorkflowTest {
    private record Call(String path, Instant at) {}

    private final List<Call> calls = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger refusals = new AtomicInteger();

    @BeforeEach
    void theCrm(TestEngine engine) {
        CrmClient crm = new CrmClient(path -> {
            calls.add(new Call(path, engine.now()));
            return refusals.getAndDecrement() > 0 ? new Http.Answer(429, 90) : new Http.Answer(200, 0);
        });
        engine.register(SyncWorkflow.class, crm).queue("default", queue -> {}).queue("crm", queue -> {});
        SyncDemo.limit(engine.client());
    }

    @Test
    void noCustomerIsCalledForMoreOftenThanItsRateAndNoneWaitsForAnother(TestEngine engine) {
        var large = start(engine, "large", 40);
        var small = start(engine, "small", 5);

        engine.advance(Duration.ofMillis(500));
        assertThat(small.result()).isEqualTo(5);
        assertThat(large.result()).isEqualTo(40);

        assertThat(calls).hasSize(45);
        List<Instant> times = calls.stream()
                .filter(call -> call.path().contains("large"))
                .map(Call::at)
                .sorted()
                .toList();
        for (int i = 5; i < times.size(); i++) {
            assertThat(Duration.between(times.get(i - 5), times.get(i)))
                    .as("between call %d and %d", i - 5, i)
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    @Test
    void aCallThatIsRefusedIsMadeAgainWhenTheCrmSaysSo(TestEngine engine) {
        refusals.set(1);
        Instant begin = engine.now();

        assertThat(start(engine, "acme", 1).result()).isOne();

        assertThat(calls).hasSize(2);
        assertThat(calls.getLast().at()).isAfterOrEqualTo(begin.plusSeconds(90));
    }

    private static WorkflowHandle<SyncWorkflow, Integer> start(TestEngine engine, String customer, int contacts) {
        List<String> names =
                IntStream.range(0, contacts).mapToObj(i -> "c-" + i).toList();
        return engine.client().start(SyncWorkflow.class, "sync-" + customer, w -> w.run(customer, names));
    }
}
