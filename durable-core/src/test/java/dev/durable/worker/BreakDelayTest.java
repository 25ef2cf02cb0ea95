package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.DurableEngine;
import dev.durable.StartOptions;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a job begins whose delay is longer than the half minute that its worker looks ahead, on a worker that polls seldom. */
class BreakDelayTest {

    @Activity
    interface Rockets {
        void launch(String name);
    }

    @Test
    void a_delay_of_more_than_half_a_minute_ends_on_time() throws Exception {
        CompletableFuture<Instant> begun = new CompletableFuture<>();
        try (DurableEngine engine = new EngineBuilder(new InMemoryHistoryStore())
                .activity(Rockets.class, name -> begun.complete(Instant.now()))
                .pollInterval(Duration.ofSeconds(25))
                .start()) {
            Instant due = Instant.now().plusSeconds(40);
            engine.client()
                    .enqueue(Rockets.class, StartOptions.id("r").startDelay(Duration.ofSeconds(40)), r -> r.launch("x"));
            Duration late = Duration.between(due, begun.get(100, TimeUnit.SECONDS));
            assertThat(late).isLessThan(Duration.ofSeconds(2));
        }
    }
}
