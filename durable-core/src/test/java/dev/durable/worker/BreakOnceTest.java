package dev.durable.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.ActivityState;
import dev.durable.DurableClient;
import dev.durable.DurableEngine;
import dev.durable.NonRetryableException;
import dev.durable.OnExhausted;
import dev.durable.StartOptions;
import dev.durable.WorkflowStatus;
import dev.durable.store.HistoryStore;
import dev.durable.store.SessionInfo;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What the worker's own configuration says of a background job that a web tier has enqueued. */
class BreakOnceTest {

    @Activity
    interface Rockets {
        void launch(String name);
    }

    private static boolean within(Duration time, BooleanSupplier condition) {
        long end = System.nanoTime() + time.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        return condition.getAsBoolean();
    }

    /** The worker says at most once; its process dies in the middle of the body. */
    @Test
    void at_most_once_by_the_workers_configuration_holds_when_the_worker_dies_in_the_first_attempt() {
        HistoryStore store = new InMemoryHistoryStore();
        AtomicInteger launches = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        try (DurableEngine web = new EngineBuilder(store).clientOnly().start();
                DurableEngine worker = new EngineBuilder(store)
                        .configuration(Map.of("durable.activities.Rockets.at-most-once", "true"))
                        .activity(Rockets.class, name -> {
                            launches.incrementAndGet();
                            try {
                                end.await(5, TimeUnit.SECONDS);
                            } catch (InterruptedException e) {
                                // The body of a dead process: it is not there to hear of it.
                            }
                        })
                        .pollInterval(Duration.ofMillis(50))
                        .start()) {
            web.client().enqueue(Rockets.class, StartOptions.id("r-1"), r -> r.launch("x"));
            assertThat(within(Duration.ofSeconds(5), () -> launches.get() == 1)).isTrue();
            SessionInfo session = store.sessions().getFirst();
            for (boolean dead = false; !dead; ) {
                SessionInfo now = store.sessions().stream()
                        .filter(s -> s.session().equals(session.session()))
                        .findFirst()
                        .orElseThrow();
                dead = now.dead() || store.markDead(now.session(), now.beat());
            }
            store.requeueOrphans(10);
            within(Duration.ofSeconds(20), () -> launches.get() > 1);
            end.countDown();
            assertThat(launches).as("bodies that began").hasValue(1);
        }
    }

    /** docs/activities.md: set by builder.jobsOnExhausted(…) where they are enqueued. */
    @Test
    void what_becomes_of_a_job_is_set_where_it_is_enqueued() {
        HistoryStore store = new InMemoryHistoryStore();
        try (DurableEngine web = new EngineBuilder(store)
                        .clientOnly()
                        .jobsOnExhausted(OnExhausted.FAIL)
                        .start();
                DurableEngine worker = new EngineBuilder(store)
                        .activity(Rockets.class, name -> {
                            throw new NonRetryableException("no");
                        })
                        .pollInterval(Duration.ofMillis(50))
                        .start()) {
            DurableClient client = web.client();
            client.enqueue(Rockets.class, StartOptions.id("r-1"), r -> r.launch("x"));
            within(
                    Duration.ofSeconds(5),
                    () -> client.handle("r-1").describe().summary().status() != WorkflowStatus.RUNNING
                            || client.activity("r-1", 1).describe().state() == ActivityState.DEAD);
            assertThat(client.handle("r-1").describe().summary().status() + " " + client.activities().page(9)).startsWith("FAILED");
        }
    }

    /** What was not chosen is the worker's, also of a job that is enqueued again: here that it begins at most once. */
    @Test
    void a_job_that_is_enqueued_again_goes_by_its_workers_options_too() {
        HistoryStore store = new InMemoryHistoryStore();
        AtomicInteger launches = new AtomicInteger();
        try (DurableEngine web = new EngineBuilder(store).clientOnly().start();
                DurableEngine worker = new EngineBuilder(store)
                        .configuration(Map.of(
                                "durable.activities.Rockets.at-most-once",
                                "true",
                                "durable.activities.Rockets.retry.on-exhausted",
                                "FAIL"))
                        .activity(Rockets.class, name -> {
                            launches.incrementAndGet();
                            throw new IllegalStateException("no");
                        })
                        .pollInterval(Duration.ofMillis(50))
                        .start()) {
            DurableClient client = web.client();
            client.enqueue(Rockets.class, StartOptions.id("r-1"), r -> r.launch("x"));
            assertThat(within(
                            Duration.ofSeconds(5),
                            () -> client.handle("r-1").describe().summary().status() == WorkflowStatus.FAILED))
                    .isTrue();
            assertThat(launches).hasValue(1);
            client.enqueueAgain("r-1");
            within(Duration.ofSeconds(5), () -> launches.get() > 2);
            assertThat(launches).as("bodies that began: one a run").hasValue(2);
        }
    }
}
