package dev.durable.testing.conformance;

import static dev.durable.testing.DurableAssertions.assertThat;
import static dev.durable.testing.DurableAssertions.assertThatThrownBy;

import dev.durable.CancelledException;
import dev.durable.CompletablePromise;
import dev.durable.Durable;
import dev.durable.Promise;
import dev.durable.Query;
import dev.durable.Run;
import dev.durable.Signal;
import dev.durable.WaitTimedOutException;
import dev.durable.Workflow;
import dev.durable.client.WorkflowHandle;
import dev.durable.history.TimerCancelled;
import dev.durable.history.TimerFired;
import dev.durable.history.TimerStarted;
import dev.durable.testing.DurableTest;
import dev.durable.testing.TestEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Timers and waits, also for several things at once, as other engines name them; {@code docs/conformance.md}. */
@DurableTest
class TimeConformanceTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Waits as its argument says. */
    @Workflow
    static class Waiting {
        private final CompletablePromise<String> first = Durable.newPromise(String.class);
        private final CompletablePromise<String> second = Durable.newPromise(String.class);
        private boolean sooner;

        @Run
        String run(String how) {
            return switch (how) {
                case "sleep" -> {
                    Durable.sleep(HOUR);
                    yield "slept " + elapsed();
                }
                case "many sleeps" -> {
                    List<Promise<Duration>> sleeps = new ArrayList<>();
                    for (int i = 100; i > 0; i--) {
                        Duration pause = Duration.ofMinutes(i);
                        sleeps.add(Durable.async(() -> {
                            Durable.sleep(pause);
                            return elapsed();
                        }));
                    }
                    List<Duration> all = Promise.all(sleeps);
                    yield all.getFirst() + " " + all.getLast() + " in " + elapsed();
                }
                case "cancel a timer" -> {
                    Promise<?> timer = Durable.timer(HOUR);
                    timer.cancel();
                    try {
                        timer.get();
                        yield "fired";
                    } catch (CancelledException e) {
                        yield "cancelled after " + elapsed();
                    }
                }
                case "move a timer" -> {
                    boolean moved = Durable.await(HOUR, () -> sooner);
                    if (moved) {
                        Durable.sleep(Duration.ofMinutes(10));
                    }
                    yield moved + " after " + elapsed();
                }
                case "limit" -> {
                    try {
                        yield first.get(HOUR);
                    } catch (WaitTimedOutException e) {
                        yield "nothing in " + elapsed();
                    }
                }
                case "either" -> Promise.any(List.of(first, second));
                case "both" -> String.join(" and ", Promise.all(List.of(first, second)));
                case "each" -> outcome(first) + ", " + outcome(second);
                case "or a timer" ->
                    Promise.any(List.of(first, Durable.timer(HOUR).then(none -> "an hour has passed")));
                default -> throw new IllegalArgumentException(how);
            };
        }

        private static String outcome(Promise<String> promise) {
            return promise.handle((value, failure) -> failure == null ? value : "failed: " + failure.getMessage())
                    .get();
        }

        private static Duration elapsed() {
            return Duration.between(Durable.info().startedAt(), Durable.now());
        }

        @Signal
        void first(String value) {
            first.complete(value);
        }

        @Signal
        void second(String value) {
            second.complete(value);
        }

        @Signal
        void firstFails(String why) {
            first.fail(new IllegalStateException(why));
        }

        @Signal
        void secondFails(String why) {
            second.fail(new IllegalStateException(why));
        }

        @Signal
        void sooner() {
            sooner = true;
        }

        @Query
        boolean done() {
            return first.isDone();
        }
    }

    private static WorkflowHandle<Waiting, String> waiting(TestEngine engine, String how) {
        engine.register(Waiting.class);
        WorkflowHandle<Waiting, String> run = engine.client().start(Waiting.class, "w-1", w -> w.run(how));
        engine.settle();
        return run;
    }

    // ── timers ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_sleep_is_a_timer_in_the_history_and_ends_after_its_time(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "sleep");
        engine.advance(Duration.ofMinutes(59));
        assertThat(run.history().events(TimerFired.class)).isEmpty();

        assertThat(run.result()).isEqualTo("slept PT1H");
        assertThat(run.history().events(TimerStarted.class)).hasSize(1);
        assertThat(run.history().events(TimerFired.class)).hasSize(1);
    }

    @Test
    void a_hundred_sleeps_at_the_same_time_end_each_at_its_own(TestEngine engine) {
        assertThat(waiting(engine, "many sleeps").result()).isEqualTo("PT1H40M PT1M in PT1H40M");
    }

    @Test
    void a_timer_that_is_cancelled_ends_at_once_and_stands_in_the_history_as_cancelled(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "cancel a timer");

        assertThat(run.result()).isEqualTo("cancelled after PT0S");
        assertThat(run.history().events(TimerCancelled.class)).hasSize(1);
        assertThat(run.history().events(TimerFired.class)).isEmpty();
    }

    @Test
    void a_signal_moves_the_time_for_which_a_run_waits(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "move a timer");
        engine.advance(Duration.ofMinutes(5));
        run.signal(Waiting::sooner);

        assertThat(run.result()).isEqualTo("true after PT15M");
        assertThat(run.history().events(TimerCancelled.class)).hasSize(1);
    }

    // ── several things at once ──────────────────────────────────────────────────────────────────────────────────────

    @Test
    void a_wait_with_a_time_limit_ends_by_what_it_waits_for(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "limit");
        run.signal(w -> w.first("a"));

        assertThat(run.result()).isEqualTo("a");
    }

    @Test
    void a_wait_with_a_time_limit_ends_by_its_limit(TestEngine engine) {
        assertThat(waiting(engine, "limit").result()).isEqualTo("nothing in PT1H");
    }

    @Test
    void a_promise_that_is_raced_with_a_timer_wins_or_loses(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "or a timer");
        assertThat(run.result()).isEqualTo("an hour has passed");

        WorkflowHandle<Waiting, String> other = engine.client().start(Waiting.class, "w-2", w -> w.run("or a timer"));
        other.signal(w -> w.first("a"));
        assertThat(other.result()).isEqualTo("a");
    }

    @Test
    void a_promise_is_completed_by_a_signal(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "limit");
        boolean before = run.query(Waiting::done);
        run.signal(w -> w.first("a"));

        assertThat(before).isFalse();
        assertThat(run.result()).isEqualTo("a");
        boolean after = run.query(Waiting::done);
        assertThat(after).isTrue();
    }

    @Test
    void a_promise_that_a_signal_fails_throws_where_it_is_waited_for(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "limit");
        run.signal(w -> w.firstFails("rejected"));

        assertThatThrownBy(run::result).hasStackTraceContaining("rejected");
    }

    @Test
    void the_first_success_ends_a_wait_for_any_and_a_failure_before_it_does_not(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "either");
        run.signal(w -> w.firstFails("no"));
        engine.settle();
        run.signal(w -> w.second("b"));

        assertThat(run.result()).isEqualTo("b");
    }

    @Test
    void a_wait_for_any_fails_when_all_have_failed(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "either");
        run.signal(w -> w.firstFails("no"));
        run.signal(w -> w.secondFails("neither"));

        assertThatThrownBy(run::result)
                .hasStackTraceContaining("IllegalStateException: no")
                .hasStackTraceContaining("neither");
    }

    @Test
    void a_wait_for_all_gives_all_values_in_their_order(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "both");
        run.signal(w -> w.second("b"));
        run.signal(w -> w.first("a"));

        assertThat(run.result()).isEqualTo("a and b");
    }

    @Test
    void a_wait_for_all_fails_with_the_first_failure(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "both");
        run.signal(w -> w.secondFails("no b"));

        assertThatThrownBy(run::result).hasStackTraceContaining("no b");
    }

    @Test
    void each_of_several_promises_is_waited_for_whatever_came_of_the_others(TestEngine engine) {
        WorkflowHandle<Waiting, String> run = waiting(engine, "each");
        run.signal(w -> w.firstFails("no a"));
        run.signal(w -> w.second("b"));

        assertThat(run.result()).isEqualTo("failed: no a, b");
    }
}
