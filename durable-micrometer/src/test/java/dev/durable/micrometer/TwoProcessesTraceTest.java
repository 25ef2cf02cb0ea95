package dev.durable.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.client.DurableEngine;
import dev.durable.history.ActivityCompleted;
import dev.durable.store.postgres.PostgresHistoryStore;
import dev.durable.store.postgres.testing.TestDatabase;
import io.micrometer.observation.Observation;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class TwoProcessesTraceTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

    @Test
    void one_trace_goes_over_processes_and_the_replay_after_a_kill_adds_no_span() throws InterruptedException {
        Spans here = new Spans();
        try (TestDatabase database = TestDatabase.migrated();
                DurableEngine client = DurableEngine.builder(PostgresHistoryStore.of(database.pooledDataSource(4)))
                        .register(TracedWorker.Trip.class)
                        .clientOnly()
                        .intercept(DurableTracing.of(here.registry()))
                        .start();
                TracedWorker first = new TracedWorker(database)) {
            var run = Observation.createNotStarted("caller", here.registry())
                    .observe(() -> client.client().start(TracedWorker.Trip.class, "trip-1", TracedWorker.Trip::run));
            until(
                    first,
                    () -> first.spans().size() == 4
                            && run.history()
                                    .events(ActivityCompleted.class)
                                    .findAny()
                                    .isPresent());
            first.kill();
            try (TracedWorker second = new TracedWorker(database)) {
                run.signal(TracedWorker.Trip::go);

                assertThat(run.result(Duration.ofNanos(PATIENCE))).isEqualTo("shipped");
                until(second, () -> second.spans().size() >= 4);

                String trace = here.all().stream()
                        .filter(span -> span.getName().equals("caller"))
                        .map(SpanData::getTraceId)
                        .findFirst()
                        .orElseThrow();
                List<TracedWorker.Ended> there = Stream.concat(first.spans().stream(), second.spans().stream())
                        .toList();
                assertThat(there).extracting(TracedWorker.Ended::trace).containsOnly(trace);
                assertThat(first.spans())
                        .extracting(TracedWorker.Ended::name)
                        .containsExactly("schedule Desk.book", "turn Trip", "Desk.book", "turn Trip");
                assertThat(second.spans())
                        .as("of the turns that it replayed, none is there")
                        .extracting(TracedWorker.Ended::name)
                        .containsExactly("schedule Desk.ship", "turn Trip", "Desk.ship", "turn Trip");
            }
        }
    }

    private static void until(TracedWorker worker, BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - begun)
                    .as(() -> "waited too long; the other process wrote\n" + worker.log())
                    .isLessThan(PATIENCE);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}
