package dev.durable.internal.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.Activity;
import dev.durable.NonRetryableException;
import dev.durable.Trials;
import dev.durable.client.Alert;
import dev.durable.client.DurableEngine;
import dev.durable.internal.drive.BatchChore;
import dev.durable.internal.drive.PollPace;
import dev.durable.internal.drive.PromptChore;
import dev.durable.store.memory.InMemoryHistoryStore;
import dev.durable.store.memory.VirtualClock;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The time until the listener hears that an activity became a dead letter. */
@Execution(ExecutionMode.CONCURRENT)
class AlertsTest {

    @Activity
    interface Work {
        void one();

        void other();
    }

    private static void fail(String why) {
        throw new NonRetryableException(why);
    }

    /** By the pace of polls, which is ten seconds give or take two, each would come later. */
    @Test
    void an_alert_comes_soon_after_the_failure_and_so_does_the_next_one() throws Exception {
        Trials.once(number -> twoAlertsComeSoon());
    }

    private static void twoAlertsComeSoon() throws Exception {
        BlockingQueue<Alert> told = new LinkedBlockingQueue<>();
        try (DurableEngine engine = DurableEngine.builder(new InMemoryHistoryStore())
                .activity(Work.class, new Work() {
                    @Override
                    public void one() {
                        fail("declined");
                    }

                    @Override
                    public void other() {
                        fail("refused");
                    }
                })
                .onAlert(told::add)
                .start()) {
            engine.client().enqueue(Work.class, Work::one);
            assertThat(told.poll(6, TimeUnit.SECONDS))
                    .isNotNull()
                    .satisfies(alert -> assertThat(alert.lastFailure()).contains("declined"));

            engine.client().enqueue(Work.class, Work::other);
            assertThat(told.poll(6, TimeUnit.SECONDS))
                    .isNotNull()
                    .satisfies(alert -> assertThat(alert.lastFailure()).contains("refused"));
        }
    }

    @Test
    void however_many_hints_come_it_is_looked_once_in_a_moment() throws Exception {
        VirtualClock clock = new VirtualClock();
        AtomicInteger looks = new AtomicInteger();
        PromptChore chore = new PromptChore(
                new BatchChore(PollPace.steady(Duration.ofSeconds(10), new java.util.Random(1)), 10, most -> {
                    looks.incrementAndGet();
                    return 0;
                }),
                clock,
                Duration.ofSeconds(1));

        assertThat(chore.runOnce()).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12));
        clock.advance(Duration.ofMillis(300));
        assertThat(chore.runOnce()).as("a hint").isEqualTo(Duration.ofMillis(700));
        assertThat(chore.runOnce()).as("another").isEqualTo(Duration.ofMillis(700));
        assertThat(looks).hasValue(1);
        clock.advance(Duration.ofMillis(700));
        chore.runOnce();
        assertThat(looks).hasValue(2);
        clock.advance(Duration.ofSeconds(2));
        chore.runOnce();
        assertThat(looks).as("a hint after a quiet time").hasValue(3);
        assertThat(chore.interval()).isEqualTo(Duration.ofSeconds(10));
    }
}
