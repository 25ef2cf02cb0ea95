package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;

import dev.durable.Activity;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Run;
import dev.durable.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Time moves by itself to where a rate lets the next job begin. Run on each kind of store. */
abstract class RateLimitsTest {
    private static final int CALLS = 12;
    private static final int RATE = 3;

    @Activity(taskQueue = "api")
    interface Api {
        int call(int number);
    }

    @Workflow
    static class Sync {
        @Run
        int run(String key) {
            Api api =
                    key.isEmpty() ? Durable.activities(Api.class) : Durable.activities(Api.class, o -> o.limitKey(key));
            List<Integer> numbers = IntStream.range(0, CALLS).boxed().toList();
            return Promise.map(numbers, CALLS, api::call).size();
        }
    }

    private final List<Instant> calls = new CopyOnWriteArrayList<>();

    private int sync(TestEngine engine, String key) {
        engine.register(Sync.class)
                .activity(Api.class, number -> {
                    calls.add(engine.now());
                    return number;
                })
                .queue("default", queue -> {})
                .queue("api", queue -> {});
        engine.client().queues().limits("api", limits -> {
            if (key.isEmpty()) {
                limits.ratePerSecond(RATE);
            } else {
                limits.perKey(each -> each.ratePerSecond(RATE));
            }
        });
        return engine.client().start(Sync.class, "sync", w -> w.run(key)).result();
    }

    private void expectRate() {
        assertThat(calls).hasSize(CALLS);
        List<Instant> times = calls.stream().sorted().toList();
        for (int i = RATE; i < times.size(); i++) {
            assertThat(Duration.between(times.get(i - RATE), times.get(i)))
                    .as("between calls %d and %d", i - RATE, i)
                    .isBetween(Duration.ofSeconds(1), Duration.ofMillis(1_300));
        }
    }

    @Test
    void a_result_is_awaited_through_the_rate_of_a_queue(TestEngine engine) {
        assertThat(sync(engine, "")).isEqualTo(CALLS);
        expectRate();
    }

    @Test
    void a_result_is_awaited_through_the_rate_of_a_key(TestEngine engine) {
        assertThat(sync(engine, "acme")).isEqualTo(CALLS);
        expectRate();
    }
}
