package dev.durable.testing;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.Activity;
import dev.durable.ActivityContext;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Retry;
import dev.durable.RetryAfterException;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.WorkflowHandle;
import dev.durable.internal.text.Bounds;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Waits that are longer than a life; run on each kind of store. */
abstract class ForEverTest {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration CENTURIES = Duration.ofDays(365L * 300);
    private static final Duration CENTURY = Duration.ofDays(36_525);

    @Activity(startToClose = "1m", retry = @Retry(maxAttempts = 2))
    interface Patience {
        int attemptAfterACentury();
    }

    @Workflow
    static class Waits {
        private final Patience patience;
        private boolean heard;

        Waits(Patience patience) {
            this.patience = patience;
        }

        @Run
        String run(String how, Duration time) {
            switch (how) {
                case "sleep" -> Durable.sleep(time);
                case "await" -> Durable.await(time, () -> heard);
                case "get" -> {
                    Promise<Void> timer = Durable.timer(time);
                    Durable.await(() -> heard);
                    return timer.isDone() ? "fired" : "open";
                }
                case "retry" -> {
                    return "attempt " + patience.attemptAfterACentury();
                }
                default -> throw new IllegalArgumentException(how);
            }
            return heard ? "heard" : "woke";
        }

        @Signal
        void hear() {
            heard = true;
        }
    }

    private WorkflowHandle<Waits, String> start(TestEngine engine, String how, Duration time) {
        engine.register(Waits.class).activity(Patience.class, () -> {
            if (ActivityContext.current().info().attempt() == 1) {
                throw new RetryAfterException(CENTURY);
            }
            return ActivityContext.current().info().attempt();
        });
        return engine.client().start(Waits.class, how, w -> w.run(how, time));
    }

    @Test
    void a_wait_for_ever_ends_by_what_it_waits_for(TestEngine engine) {
        WorkflowHandle<Waits, String> run = start(engine, "await", FOR_EVER);
        engine.advance(Duration.ofDays(3));
        run.signal(Waits::hear);
        assertThat(run.result(FOR_EVER)).isEqualTo("heard");
    }

    @Test
    void a_timer_for_ever_is_open(TestEngine engine) {
        WorkflowHandle<Waits, String> run = start(engine, "get", FOR_EVER);
        run.signal(Waits::hear);
        assertThat(run.result()).isEqualTo("open");
    }

    @Test
    void a_sleep_of_centuries_ends_after_them(TestEngine engine) {
        Instant began = engine.now();
        WorkflowHandle<Waits, String> run = start(engine, "sleep", CENTURIES);
        assertThatThrownBy(() -> run.result(CENTURY)).isInstanceOf(WaitTimedOutException.class);
        assertThat(run.result(FOR_EVER)).isEqualTo("woke");
        assertThat(Duration.between(began, engine.now())).isBetween(CENTURIES, CENTURIES.plusDays(1));
    }

    @Test
    void a_retry_after_a_century_comes_after_a_century(TestEngine engine) {
        Instant began = engine.now();
        WorkflowHandle<Waits, String> run = start(engine, "retry", CENTURY);
        assertThat(run.result()).isEqualTo("attempt 2");
        assertThat(Duration.between(began, engine.now())).isBetween(CENTURY, CENTURY.plusDays(1));
    }

    @Test
    void time_that_can_not_be_is_refused(TestEngine engine) {
        start(engine, "get", FOR_EVER);
        assertThatThrownBy(() -> engine.advance(FOR_EVER))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("time goes on to " + Bounds.LATEST + " at most, and it is ")
                .hasMessageEndingWith(
                        "it can't be moved by " + FOR_EVER + ". Usual cause: a number in another unit than was meant.");
        assertThatThrownBy(() -> engine.advance(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("time does not go back: PT-1S");
        assertThatThrownBy(() -> engine.advanceWhileRunning(FOR_EVER)).isInstanceOf(IllegalArgumentException.class);
    }
}
